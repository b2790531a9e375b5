// Prints the description that a compiled program contains, read through the
// header that the runtime uses.

#include "runtime/Program.h"
#include <inttypes.h>
#include <stdio.h>

// Functions that the program would call; here only its description is read.
void pcc_copy(void) {}
void pcc_set_node(void) {}
void pcc_constant_at(void) {}
void pcc_attention(void) {}
void pcc_attention_grad(void) {}

static void numbers(const char *what, const int64_t *values, int32_t count) {
  printf(" %s [", what);
  for (int32_t i = 0; i < count; ++i)
    printf(i ? " %" PRId64 : "%" PRId64, values[i]);
  printf("]");
}

static void layout(const pcc_layout *layout) {
  numbers("shape", layout->shape, layout->rank);
  printf(" axes [");
  for (int32_t d = 0; d < layout->rank; ++d) {
    printf(d ? " (" : "(");
    for (int32_t i = layout->axis_begin[d]; i < layout->axis_begin[d + 1]; ++i)
      printf("%s", pcc_the_program.axes[layout->axes[i]].name);
    printf(")");
  }
  printf("]");
}

static void tensor(const pcc_tensor *t) {
  printf("tensor %s of %s kind %d dtype %d init %d decay %d", t->name,
         t->of ? t->of : "-", t->kind, t->dtype, t->init, t->decay);
  layout(&t->layout);
  printf(" at %" PRId64, t->arena_offset);
  for (int32_t i = 0; i < t->n_uses; ++i)
    printf(" use %" PRId64 ".%" PRId64, t->uses[i].node, t->uses[i].operand);
  printf("\n");
  const pcc_source *s = t->source;
  if (!s)
    return;
  printf("source %s file %s size %" PRId64 " digest %" PRIu64 " offset %" PRId64
         " dtype %d saved %s as %d transposed %d plus_one %d base %" PRId64,
         s->name, s->file ? s->file : "-", s->file_size, s->file_digest,
         s->offset, s->dtype, s->saved_name, s->saved_dtype, s->transposed,
         s->plus_one, s->base);
  numbers("shape", s->shape, s->rank);
  numbers("stride", s->stride, t->layout.rank);
  numbers("valid", s->valid, t->layout.rank);
  printf("\n");
}

static void outputs(const char *what, const pcc_output *list, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    printf("%s %s at %" PRId64 "\n", what, list[i].name, list[i].arena_offset);
}

int main(void) {
  const pcc_program *p = &pcc_the_program;
  printf("abi %d model %s source %s\nsummary %s\n", p->abi_version, p->model,
         p->source ? p->source : "-", p->summary);
  if (p->model_folder) {
    printf("folder %s", p->model_folder->path);
    for (int32_t i = 0; i < p->model_folder->n_files; ++i)
      printf(" %s", p->model_folder->files[i]);
    printf("\n");
  }
  if (p->whole_batch)
    printf("whole batch %s\n", p->whole_batch);
  for (int32_t i = 0; i < p->n_document_ends; ++i)
    printf("%s %" PRId64 "%s", i ? "" : "documents end at", p->document_ends[i],
           i + 1 == p->n_document_ends ? "\n" : "");
  for (int32_t i = 0; i < p->n_axes; ++i)
    printf("axis %s %" PRId64 " role %" PRId32 "\n", p->axes[i].name,
           p->axes[i].size, p->axes[i].role);
  for (int32_t i = 0; i < p->n_comms; ++i) {
    printf("comm");
    for (int32_t a = 0; a < p->comms[i].n_axes; ++a)
      printf(" %s", p->axes[p->comms[i].axes[a]].name);
    printf("%s channels %d\n", p->comms[i].exchanges ? " exchanges" : "",
           p->comms[i].channels);
  }
  for (int32_t i = 0; i < p->n_channels; ++i)
    printf("way from %d to %d channel %d%s\n", p->channels[i].from_stage,
           p->channels[i].to_stage, p->channels[i].channel,
           p->channels[i].overlapped ? " beside" : "");
  for (int32_t i = 0; i < p->n_constants; ++i)
    printf("constant %" PRId64 " comm %d\n", p->constants[i].value,
           p->constants[i].comm);
  printf("seq %" PRId64 " micro_batch %" PRId64 " microbatches %" PRId64
         " dp %" PRId64 " parameters %" PRId64 " flops %g\n",
         p->seq, p->micro_batch, p->microbatches, p->data_parallel,
         p->parameters, p->flops_per_step);
  for (int32_t i = 0; i < p->n_stages; ++i) {
    const pcc_stage *s = &p->stages[i];
    printf("stage %d arena %" PRId64 " kept %" PRId64
           " step %s evaluate %s streams %d events %d\n",
           i, s->arena_bytes, s->kept_bytes, s->step ? "yes" : "no",
           s->evaluate ? "yes" : "no", s->n_streams, s->n_events);
    const char *const kinds[] = {"all_reduce", "all_gather", "reduce_scatter"};
    for (int32_t c = 0; c < s->n_collectives; ++c)
      printf("%s comm %d dtype %d reduction %d count %" PRId64 "\n",
             kinds[s->collectives[c].kind], s->collectives[c].comm,
             s->collectives[c].dtype, s->collectives[c].reduction,
             s->collectives[c].count);
    for (int32_t t = 0; t < s->n_tensors; ++t)
      tensor(&s->tensors[t]);
    for (int32_t t = 0; t < s->n_inputs; ++t) {
      const pcc_input *in = &s->inputs[t];
      printf("input %s %s dtype %d", in->role, in->name, in->dtype);
      if (in->of_loss)
        printf(" of loss");
      layout(&in->layout);
      printf(" at %" PRId64 " slots %" PRId64 " vocab %" PRId64
             " by %s dims %" PRId32 " %" PRId32,
             in->arena_offset, in->slot_bytes, in->vocab, in->looked_up_by,
             in->batch_dim, in->sequence_dim);
      if (in->order_ranks)
        printf(" order %" PRId32 " along %" PRId32, in->order_ranks,
               in->order_dims);
      printf("\n");
    }
    outputs("output", s->outputs, s->n_outputs);
    outputs("eval output", s->eval_outputs, s->n_eval_outputs);
    for (int32_t t = 0; t < s->n_attentions; ++t) {
      const pcc_attention_desc *a = s->attentions[t];
      printf("attention of %s dtype %d backward %d causal %d scale %g samples "
             "%" PRId64 " key heads %" PRId64 " workspace %" PRId64,
             a->node, a->dtype, a->is_backward, a->is_causal, a->scale,
             a->samples, a->key_head_group, a->workspace_bytes);
      int64_t sizes[] = {a->batch, a->queries,   a->keys,
                         a->heads, a->key_heads, a->size};
      numbers("sizes", sizes, 6);
      numbers("q", a->q_strides, 3);
      numbers("k", a->k_strides, 3);
      numbers("v", a->v_strides, 3);
      numbers("dq", a->dq_strides, 3);
      numbers("dk", a->dk_strides, 3);
      numbers("dv", a->dv_strides, 3);
      printf("\n");
    }
  }
  return 0;
}
