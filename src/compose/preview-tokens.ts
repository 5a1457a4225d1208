import { createPreviewTokens, type PreviewTokens } from '../ad-serving/house/preview-tokens.ts'
import { createDerivedSecrets } from '../security/secrets/derived-secret.ts'

/** Signs links that preview a creative on a page. `secret`: the deployment's. */
export function previewTokens(secret: string): PreviewTokens {
  return createPreviewTokens(createDerivedSecrets(secret, 'ad-tokens')('preview'))
}
