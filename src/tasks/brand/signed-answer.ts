import type { BrandClaims } from '../../domain/brand/claims.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { ResponseEnvelope, SignedTask } from '../../security/signing/response-envelope.ts'

/** A body that is to be signed for a request, and for how long it holds. */
interface Unsigned {
  readonly task: SignedTask
  readonly request: object
  readonly body: object
  readonly lifetimeSeconds: number
}

/** What a publisher's house confirms of itself. Throws UNSUPPORTED_FEATURE for a publisher that answers no claims. */
export async function claimsOf({
  services,
  tenant,
}: PublicContext): Promise<{ readonly claims: BrandClaims; readonly domain: string }> {
  const { claims, house } = await services.brands.load(tenant.tenantId)
  if (!claims || !house) throw new AdcpError('UNSUPPORTED_FEATURE', 'this publisher answers no claims about its brands')
  return { claims, domain: house.domain }
}

/**
 * The answer with its signature (AdCP security, "Designated-task payload-envelope response signing"). The brand is that of the publisher, never one that the
 * request names. The echoed context is part of the body that is signed.
 */
export async function signedAnswer(
  { tenant, principal, services, now }: PublicContext,
  domain: string,
  { task, request, body, lifetimeSeconds }: Unsigned,
): Promise<object & { readonly signed_response: ResponseEnvelope }> {
  const context = 'context' in request && isObject(request.context) ? { context: request.context } : {}
  const signed_response = await services.signedAnswers.sign({
    tenantId: tenant.tenantId,
    task,
    brandDomain: domain,
    callerIdentity: callerIdentity(principal),
    request,
    response: { ...body, ...context },
    issuedAt: now,
    lifetimeSeconds,
  })
  return { ...body, signed_response }
}

/** A caller as it is known here; null for one without credentials. */
function callerIdentity(principal: Principal | undefined): string | null {
  if (!principal) return null
  const { mechanism, agentUrl, credentialId, principalId } = principal
  if (mechanism === 'signature' && agentUrl !== undefined) return `signed-agent-url:${agentUrl}`
  if (mechanism === 'mtls') return `mtls-san:${credentialId.toLowerCase()}`
  return `api-client-id:${principalId}`
}
