import { type PublicWords, SignatureError, SignatureFault } from './challenge.ts'

/** What of the capabilities' `request_signing` block makes a signature mandatory. */
export interface SigningRequirement {
  /** Tool names: they match `tools/call` only. */
  readonly requiredFor: ReadonlySet<string>
  /** JSON-RPC methods such as `tasks/cancel`: they match the method only. */
  readonly protocolMethodsRequiredFor: ReadonlySet<string>
}

/** A call that came without signature headers. */
export interface UnsignedCall {
  /** JSON-RPC method; each element of a batch is a call of its own. */
  readonly method: string
  /** `params.name` of a `tools/call`. */
  readonly tool?: string
  /** Everything that the caller sent with it. */
  readonly payload: unknown
  /** Whether another credential that satisfies the policy was verified. An invalid one is none. */
  readonly hasOtherCredential: boolean
  /** The message about webhook credentials in place of the general one. */
  readonly onWebhookCredentials?: PublicWords
}

/** Deeper payloads are refused elsewhere; here depth must not become a hiding place. */
const MAX_DEPTH = 64

/**
 * The registrations whose `authentication` is a choice (AdCP security page, "Downgrade and injection resistance"). `reporting_webhook` and `artifact_webhook` are none of
 * them: their schemas require `authentication`, so that a buyer without a signature could not have them at all.
 */
const WEBHOOK_MEMBERS = new Set([
  'push_notification_config',
  'pushNotificationConfig',
  'notification_config',
  'notification_configs',
])

/**
 * Refuses an unsigned call that had to be signed (AdCP "Signed requests", composition rule): the operation demands it and no
 * other credential is present, or the payload chooses webhook credentials, which no credential replaces, because a stolen Bearer token
 * could redirect the callbacks. Throws {@link SignatureError} `request_signature_required`.
 */
export function requireSignature(call: UnsignedCall, requirement: SigningRequirement): void {
  const isDemanded =
    call.method === 'tools/call'
      ? call.tool !== undefined && requirement.requiredFor.has(call.tool)
      : requirement.protocolMethodsRequiredFor.has(call.method)
  if (isDemanded && !call.hasOtherCredential) throw required('operation is in the required list')
  if (carriesWebhookCredentials(call.payload)) throw required('payload sets webhook credentials', call.onWebhookCredentials)
}

/**
 * Whether a payload holds a non-empty `authentication` object in a webhook registration, anywhere. Presence decides, not
 * validity. A payload nested too deeply to search counts as one that does.
 */
export function carriesWebhookCredentials(payload: unknown): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: payload, depth: 0 }]
  for (let item = open.pop(); item; item = open.pop()) {
    const { value, depth } = item
    if (typeof value !== 'object' || value === null) continue
    if (depth > MAX_DEPTH) return true
    for (const [name, child] of Object.entries(value)) {
      if (WEBHOOK_MEMBERS.has(name) && [child].flat().some(hasAuthentication)) return true
      open.push({ value: child, depth: depth + 1 })
    }
  }
  return false
}

function hasAuthentication(registration: unknown): boolean {
  if (typeof registration !== 'object' || registration === null || !Object.hasOwn(registration, 'authentication')) return false
  const { authentication } = registration as { readonly authentication: unknown }
  return typeof authentication === 'object' && authentication !== null && Object.keys(authentication).length > 0
}

function required(detail: string, words?: PublicWords): SignatureError {
  return new SignatureError('request', new SignatureFault('signature_required', detail), words)
}
