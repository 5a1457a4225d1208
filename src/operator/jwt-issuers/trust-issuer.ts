import { FOREIGN_SCOPES, type ForeignScopes, type JwtAlgorithm } from '../../domain/identity/jwt-issuer-settings.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listJwtIssuers, removeJwtIssuer, saveJwtIssuer } from '../../store/identity/jwt-issuers.ts'
import { addJwtSubject } from '../../store/identity/jwt-subjects.ts'
import { auditedStore } from '../audited-store.ts'
import { requireHttpsUrl } from '../https-url.ts'
import type { OperatorContext } from '../operator-context.ts'

export const JWT_ALGORITHMS: readonly JwtAlgorithm[] = ['EdDSA', 'ES256', 'ES384', 'PS256', 'PS512', 'RS256']

/** Trusts an authorization server, or changes how it is trusted. Gives the settings. Throws INVALID_REQUEST. */
export async function trustIssuer(
  context: OperatorContext,
  input: {
    readonly tenantId: string
    readonly issuer: string
    /** What its tokens for this agent name in `aud`. */
    readonly audience: string
    readonly jwksUri: string
    /** Names of {@link JWT_ALGORITHMS}. */
    readonly algorithms: readonly string[]
    /** Longest time since `iat`, in seconds. */
    readonly maxAgeSeconds: number
    /** One of {@link FOREIGN_SCOPES}; default: what the issuer had, else `inherit`. */
    readonly foreignScopes?: string | undefined
  },
) {
  const { tenantId, issuer, audience, maxAgeSeconds } = input
  const jwksUri = requireHttpsUrl(input.jwksUri, 'jwks-uri')
  const known = (await listJwtIssuers(context.store.read, tenantId)).find((other) => other.issuer === issuer)
  const foreignScopes = input.foreignScopes === undefined ? known?.foreignScopes : readForeignScopes(input.foreignScopes)
  const settings = {
    ...{ tenantId, issuer, audience, jwksUri, maxAgeSeconds },
    algorithms: input.algorithms.map(readAlgorithm),
    foreignScopes: foreignScopes ?? 'inherit',
  }
  const store = auditedStore(context, { task: 'jwt-issuers.add', tenant: tenantId, subject: issuer })
  await store.transaction((tx) => saveJwtIssuer(tx, settings, context.clock()))
  return settings
}

/** Lets a subject of a trusted issuer act as a principal. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST. */
export async function mapSubject(
  context: OperatorContext,
  entry: { readonly tenantId: string; readonly principalId: string; readonly issuer: string; readonly subject: string },
): Promise<void> {
  const store = auditedStore(context, { task: 'jwt-issuers.map', tenant: entry.tenantId, subject: entry.principalId })
  await store.transaction((tx) => addJwtSubject(tx, entry, context.clock()))
}

/** The trusted issuers of a publisher, or of all. */
export function listIssuers({ store }: OperatorContext, tenantId: string | undefined) {
  return listJwtIssuers(store.read, tenantId)
}

/** Trusts an issuer no longer. Throws REFERENCE_NOT_FOUND. */
export async function removeIssuer(
  context: OperatorContext,
  { tenantId, issuer }: { readonly tenantId: string; readonly issuer: string },
): Promise<void> {
  const store = auditedStore(context, { task: 'jwt-issuers.remove', tenant: tenantId, subject: issuer })
  await store.transaction((tx) => removeJwtIssuer(tx, tenantId, issuer))
}

function readForeignScopes(name: string): ForeignScopes {
  const known = FOREIGN_SCOPES.find((each) => each === name)
  if (known) return known
  const message = `"${name}" is none of ${FOREIGN_SCOPES.join(', ')}`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'foreign-scopes' })
}

function readAlgorithm(name: string): JwtAlgorithm {
  const known = JWT_ALGORITHMS.find((algorithm) => algorithm === name.trim())
  if (known) return known
  throw new AdcpError('INVALID_REQUEST', `"${name}" is none of ${JWT_ALGORITHMS.join(', ')}`, { field: 'algorithms' })
}
