import { type Config, givenSecret } from '../../config/config.ts'
import { deploymentSecret, secretPath } from '../../security/secrets/deployment-secret.ts'
import { createSecretBox, type SecretBox } from '../../security/secrets/secret-box.ts'

/** Encrypts the keys of a publisher's router, and those that packages are synced with. */
export function matchBox(config: Pick<Config, 'secretFile' | 'data'>): SecretBox {
  return createSecretBox(deploymentSecret(config.secretFile ?? secretPath(config.data), givenSecret()), 'trusted-match')
}
