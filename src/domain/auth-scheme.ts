/** AdCP enums/auth-scheme: a Bearer token, or an HMAC over the body. */
export type AuthScheme = 'Bearer' | 'HMAC-SHA256'

/** How a receiver of webhooks knows that they are genuine: the signature of RFC 9421, or the scheme that it asked for. */
export const WEBHOOK_PROOFS = ['rfc9421', 'Bearer', 'HMAC-SHA256'] as const satisfies readonly ('rfc9421' | AuthScheme)[]
export type WebhookProof = (typeof WEBHOOK_PROOFS)[number]
