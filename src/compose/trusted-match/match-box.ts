import type { SecretSource } from '../../security/secrets/deployment-secrets.ts'
import { createSecretBox, type SecretBox } from '../../security/secrets/secret-box.ts'

/** Encrypts the keys of a publisher's router, and those that packages are synced with. `secret`: the deployment's. */
export function matchBox(secret: SecretSource): SecretBox {
  return createSecretBox(secret, 'trusted-match')
}
