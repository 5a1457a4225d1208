import { isObject } from '../../protocol/is-object.ts'
import type { Validate } from '../../protocol/schemas.ts'

/** Why the answer of a provider counts for nothing. The message is one of a few; `detail` says more. Both are for the log and repeat nothing that was sent. */
export class AnswerRefused extends Error {
  readonly detail: string | undefined

  constructor(message: string, detail?: string) {
    super(message)
    this.detail = detail
  }
}

/**
 * The answer of a provider, judged: JSON without repeated members, valid by the schema of the hop, for this very request. A `status` that is absent counts as
 * `completed`: the schema asks for it, but the specification's tables do not list it, and its examples of identity answers have none. `isAnswer` is the schema's word
 * on its type. Throws {@link AnswerRefused}, also for an error that the provider reports.
 */
export function readProviderAnswer<Answer>(
  body: Uint8Array,
  requestId: string,
  { parseJson, validate }: { readonly parseJson: (body: Uint8Array) => unknown; readonly validate: Validate },
): Answer {
  const value = withStatus(parsed(body, parseJson))
  if (isObject(value) && value.type === 'error') throw new AnswerRefused('the provider reports an error', codeOf(value))
  requireAnswer<Answer>(value, validate)
  if (!isObject(value) || value.request_id !== requestId) throw new AnswerRefused('the answer is for another request')
  return value
}

function parsed(body: Uint8Array, parseJson: (body: Uint8Array) => unknown): unknown {
  try {
    return parseJson(body)
  } catch (error) {
    throw new AnswerRefused('the answer cannot be read', error instanceof Error ? error.message : undefined)
  }
}

function withStatus(value: unknown): unknown {
  return isObject(value) && !Object.hasOwn(value, 'status') ? { ...value, status: 'completed' } : value
}

function codeOf({ code }: Readonly<Record<string, unknown>>): string | undefined {
  return CODES.find((each) => each === code)
}

/** Codes of trusted-match/error.json. */
const CODES = [
  'invalid_request',
  'unknown_package',
  'seller_not_authorized',
  'rate_limited',
  'timeout',
  'internal_error',
  'provider_unavailable',
]

/** The schema describes the type that the caller names. */
function requireAnswer<Answer>(value: unknown, validate: Validate): asserts value is Answer {
  const [issue] = validate(value)
  if (!issue) return
  // The name of a member that the schema does not have is a text of the provider's choice, such as a token.
  const isOwnName = issue.keyword === 'additionalProperties' || issue.keyword === 'propertyNames'
  const detail = isOwnName
    ? 'a member is not known here'
    : `${issue.pointer === '' ? 'the answer' : issue.pointer} ${issue.message}`
  throw new AnswerRefused('the answer does not follow its schema', detail)
}
