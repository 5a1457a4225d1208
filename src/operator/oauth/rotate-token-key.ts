import { rotateTokenKey as rotate } from '../../features/oauth/token-keys.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/**
 * Signs access tokens with a new key; those signed before still count, unless the keys are `compromised`: then every access token ends, and clients get
 * new ones with their refresh tokens.
 */
export async function rotateTokenKey(context: OperatorContext, { compromised }: { readonly compromised: boolean }) {
  const box = await context.services.oauthBox()
  const store = auditedStore(context, { task: compromised ? 'oauth.replace-key' : 'oauth.rotate-key' })
  return store.transaction((tx) => rotate(tx, box, context.clock(), { compromised }))
}
