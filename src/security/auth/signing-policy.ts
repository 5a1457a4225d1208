import { jwksUriOf } from '../../domain/identity/documents.ts'
import type { Principal, SigningProfileName } from '../../domain/identity/principal.ts'
import type { DigestPolicy } from '../../protocol/digest-policy.ts'
import { SignatureError, SignatureFault } from '../signing/challenge.ts'
import { isSigned } from '../signing/parse-signature.ts'
import { REQUEST_PROFILE_3_1 } from '../signing/profile.ts'
import { requireSignature } from '../signing/requirement.ts'
import { checkForm } from '../signing/verify.ts'
import type { Caller } from './identify.ts'
import type { TransportCredentials } from './transport-credentials.ts'

/** What the operator of a deployment has decided about signed requests. */
export interface SigningPolicy {
  /** A publisher may have its own. */
  readonly profile: SigningProfileName
  readonly contentDigest: DigestPolicy
  /** Tasks that an unsigned call may use only with another valid credential (AdCP `request_signing.required_for`). */
  readonly requiredFor: ReadonlySet<string>
  /** The same of methods of JSON-RPC, which are no tasks (AdCP 3.1 `request_signing.protocol_methods_required_for`). */
  readonly protocolMethodsRequiredFor: ReadonlySet<string>
}

/** A call as the policy sees it. */
export interface UnsignedCall {
  readonly task: string
  readonly isMutating: boolean
  readonly arguments: unknown
  /** Address of this agent; the keys of its webhooks are at the same origin. */
  readonly agentUrl: string
  /** Undefined: no credentials, or none that count. */
  readonly principal: Principal | undefined
  /** Whether the caller is a known sandbox agent of a sandbox server. */
  readonly isSandbox: boolean
}

/** Mechanisms that satisfy profiles 3.1 and 3.2 for tasks that change state or spend (AdCP authentication page). */
const STRONG: ReadonlySet<Principal['mechanism']> = new Set(['signature', 'mtls'])

/**
 * Whether a message claims to be signed: then its signature decides alone, and no other credential replaces it (AdCP
 * "Signed requests"; half a signature is a claim too).
 */
export function claimsSignature(rawHeaders: readonly string[]): boolean {
  return isSigned(rawHeaders)
}

/** Whether a principal has to sign what changes state: by the profile, or because it has been moved to signing already. */
export function isStrict(profile: SigningProfileName, principal: Principal | undefined): boolean {
  return profile !== '3.0' || principal?.signingRequired === true
}

/**
 * Decides on a call that came without a signature. Throws `SignatureError` `request_signature_required` (HTTP 401) when
 * - it changes state under profile 3.1 or 3.2, and no client certificate replaces it: static credentials are for reads;
 * - its task is on the `required_for` list and no valid credential came with it;
 * - it sets webhook credentials: a stolen Bearer token could redirect the callbacks, so nothing replaces a signature. A
 *   sandbox agent is let through, because the official storyboards register such webhooks with a key alone.
 */
export function demandSignature(call: UnsignedCall, profile: SigningProfileName, policy: SigningPolicy): void {
  const { task, isMutating, principal } = call
  if (isMutating && isStrict(profile, principal) && !(principal && STRONG.has(principal.mechanism))) {
    const reason = principal
      ? `${task} changes state: it must be signed (RFC 9421); Bearer and Basic credentials are accepted for reads only`
      : `${task} changes state: it must be signed (RFC 9421)`
    throw required(reason, principal ? 'static credential for a mutating task' : 'no credential for a mutating task')
  }
  requireSignature(
    {
      method: 'tools/call',
      tool: task,
      payload: call.isSandbox ? undefined : call.arguments,
      hasOtherCredential: !!principal,
      onWebhookCredentials: webhookWords(jwksUriOf({ origin: new URL(call.agentUrl).origin })),
    },
    { requiredFor: policy.requiredFor, protocolMethodsRequiredFor: NONE },
  )
}

/**
 * Decides on a message of JSON-RPC that is no call of a task. Throws `SignatureError` `request_signature_required` (HTTP 401) for one of `methods` that came
 * without a signature and without another valid credential.
 */
export async function demandSignedMethod(
  method: string,
  { rawHeaders }: TransportCredentials,
  identify: () => Promise<Pick<Caller, 'kind'>>,
  methods: ReadonlySet<string>,
): Promise<void> {
  if (!methods.has(method) || claimsSignature(rawHeaders)) return
  const hasOtherCredential = (await identify()).kind === 'known'
  requireSignature({ method, payload: undefined, hasOtherCredential }, { requiredFor: NONE, protocolMethodsRequiredFor: methods })
}

/** Holds the signature of a signed call to what the release of the call says about the body. Throws `SignatureError`; without a signature nothing is held. */
export function checkSignedForm(credentials: TransportCredentials, digest: DigestPolicy): void {
  if (!claimsSignature(credentials.rawHeaders)) return
  const { method, target, rawHeaders, body = new Uint8Array() } = credentials
  checkForm({ method, url: target, rawHeaders, body }, { ...REQUEST_PROFILE_3_1, digest })
}

/**
 * Refuses a call that commits money and came without a signature, for releases that demand one. Throws `SignatureError` `request_signature_required`
 * (HTTP 401); of other credentials a client certificate alone replaces it.
 */
export function demandSignedSpend(task: string, { rawHeaders }: TransportCredentials, principal: Principal | undefined): void {
  if (claimsSignature(rawHeaders) || (principal && STRONG.has(principal.mechanism))) return
  throw required(`${task} spends: it must be signed (RFC 9421)`, 'no signature for a task that spends')
}

/** Calls of tasks and other messages are decided on apart. */
const NONE: ReadonlySet<string> = new Set<string>([])

const HOW =
  'send Signature and Signature-Input with the tag adcp/request-signing/v1, by a key that this seller has registered for your agent'

/** The message for webhook credentials in an unsigned request. */
function webhookWords(keys: string) {
  const advice = `leave it out: webhooks are signed (RFC 9421), keys at ${keys}`
  return {
    message: `authentication of a webhook may only be set by a signed request; ${advice}`,
    suggestion: 'register the webhook without authentication and verify its signature, or sign the request (RFC 9421)',
  }
}

function required(message: string, detail: string): SignatureError {
  return new SignatureError('request', new SignatureFault('signature_required', detail), { message, suggestion: HOW })
}
