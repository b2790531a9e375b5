import os
import shutil
import subprocess

import lit.formats
import lit.util

if not hasattr(config, "pcc_build"):
    # Started on a file of the source tree. The build tree's lit.site.cfg.py has
    # the configuration and loads this file again.
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    site = os.path.join(root, "build", "test", "lit.site.cfg.py")
    if not os.path.exists(site):
        lit_config.fatal("these tests need a build tree, and " + site +
                         " is missing: run scripts/build first")
    lit_config.load_config(config, site)
else:
    config.name = "pcc"
    config.test_format = lit.formats.ShTest(execute_external=True)
    config.suffixes = [".mlir", ".test", ".py"]
    config.excludes = ["Inputs", "Fuzz", "lit.cfg.py", "lit.site.cfg.py", "harness.py"]
    config.test_source_root = os.path.dirname(__file__)
    config.test_exec_root = os.path.join(config.pcc_build, "test")
    config.environment["PATH"] = os.pathsep.join(
        [os.path.join(config.pcc_build, "bin"), config.llvm_tools,
         config.environment.get("PATH", "")])
    if config.pcc_cuda:
        config.available_features.add("cuda")
    # ONNX's schemas, from scripts/install-deps --onnx.
    if os.path.isdir(os.path.join(config.pcc_root, ".onnx")):
        config.available_features.add("onnx")
    # The packages of pcc-data, from scripts/install-deps --tokenizers.
    if os.path.isdir(os.path.join(config.pcc_root, ".tokenizers")):
        config.available_features.add("tokenizers")
    # As many concurrent tests as cores; tests that mostly wait are outside of
    # this group, and check-pcc starts one more worker for them.
    lit_config.parallelism_groups["computing"] = lit.util.usable_core_count()
    config.parallelism_group = "computing"
    # Tests share the cores: waiting threads must not spin.
    config.environment["OMP_WAIT_POLICY"] = "passive"
    # More cases of some tests, and tests that require the feature: scripts/test
    # --all.
    config.environment["PCC_TEST_ALL"] = os.environ.get("PCC_TEST_ALL", "")
    if config.environment["PCC_TEST_ALL"]:
        config.available_features.add("all")
    config.substitutions.append(("%pcc_data", (
        f"env PYTHONPATH={config.pcc_root}/.tokenizers /usr/bin/python3 "
        f"{config.pcc_root}/tools/pcc-data")))
    config.substitutions.append(("%root", config.pcc_root))
    config.substitutions.append(("%cuda", config.pcc_cuda))
    config.substitutions.append(("%build", config.pcc_build))
    config.substitutions.append(("%python", "/usr/bin/python3"))
    config.substitutions.append(("%cc", "clang-22"))
    # Removes value numbers from an rt program.
    config.substitutions.append(("%unnumbered", (
        r"sed -E 's/ attributes \{rt\.(layouts|values|views) = [^}]*\}//; "
        r"s/ \{rt\.(parts|values) = [^}]*\}//'")))
    # Whether this user may create mount namespaces.
    if shutil.which("unshare") and subprocess.run(
            ["unshare", "--mount", "mount", "-t", "tmpfs", "pcc", "/dev/shm"],
            capture_output=True).returncode == 0:
        config.available_features.add("mount-namespaces")
