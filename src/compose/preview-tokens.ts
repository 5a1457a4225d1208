import { createPreviewTokens, type PreviewTokens } from '../ad-serving/embedded/preview-tokens.ts'
import type { SecretSource } from '../security/secrets/deployment-secrets.ts'
import { derivedSecrets } from '../security/secrets/derived-secret.ts'

/** Signs links that preview a creative on a page. `secret`: the deployment's; links under every one in use are read. */
export function previewTokens(secret: SecretSource): PreviewTokens {
  return createPreviewTokens(derivedSecrets(secret, 'ad-tokens', 'preview'))
}
