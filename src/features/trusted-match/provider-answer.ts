import { isObject } from '../../protocol/is-object.ts'
import type { Validate } from '../../protocol/schemas.ts'

/** Why the answer of a provider counts for nothing. The message is for the log. */
export class AnswerRefused extends Error {}

/**
 * The answer of a provider, judged: JSON without repeated members, valid by the schema of the hop, for this very request. `isAnswer` is the schema's word on its
 * type. Throws {@link AnswerRefused}, also for an error that the provider reports.
 */
export function readProviderAnswer<Answer>(
  body: Uint8Array,
  requestId: string,
  { parseJson, validate }: { readonly parseJson: (body: Uint8Array) => unknown; readonly validate: Validate },
): Answer {
  const value = parseJson(body)
  if (isObject(value) && value.type === 'error') throw new AnswerRefused('the provider reports an error')
  if (!isAnswer<Answer>(value, validate)) throw new AnswerRefused('the answer does not follow its schema')
  if (!isObject(value) || value.request_id !== requestId) throw new AnswerRefused('the answer is for another request')
  return value
}

/** The schema describes the type that the caller names. */
function isAnswer<Answer>(value: unknown, validate: Validate): value is Answer {
  return validate(value).length === 0
}
