import { AdcpError } from '../../protocol/errors.ts'
import type { DeploymentSecrets } from '../../security/secrets/deployment-secrets.ts'
import { deriveKey } from '../../security/secrets/derived-secret.ts'
import {
  LASTING,
  LASTING_PURPOSES,
  type LastingKeys,
  type LastingPurpose,
  lastingKeyPlace,
} from '../../security/secrets/lasting-keys.ts'
import { createSecretBox, OTHER_SECRET, SealBroken, type SecretBox } from '../../security/secrets/secret-box.ts'
import type { Db } from '../../store/database.ts'
import { findLastingKeys, insertLastingKey } from '../../store/secrets/lasting-keys.ts'

/**
 * The lasting keys of a deployment: the stored ones; where none is stored yet, those that follow from the oldest secret in use. Throws CONFIGURATION_ERROR when they
 * are sealed under a secret that is not known.
 */
export async function loadLastingKeys(db: Db, secrets: DeploymentSecrets): Promise<LastingKeys> {
  const stored = new Map((await findLastingKeys(db)).map(({ purpose, sealed }) => [purpose, sealed]))
  const box = createSecretBox(secrets, LASTING)
  const oldest = secrets.oldest()
  const keyOf = (purpose: LastingPurpose) => {
    const sealed = stored.get(purpose)
    return sealed === undefined ? deriveKey(oldest, purpose) : opened(box, sealed, purpose)
  }
  return { pseudonyms: keyOf('pseudonyms'), 'rights-keys': keyOf('rights-keys'), 'checkout-tokens': keyOf('checkout-tokens') }
}

function opened(box: SecretBox, sealed: string, purpose: LastingPurpose): Buffer {
  try {
    return Buffer.from(box.open(sealed, lastingKeyPlace(purpose)), 'base64url')
  } catch (error) {
    throw error instanceof SealBroken ? new AdcpError('CONFIGURATION_ERROR', OTHER_SECRET, { cause: error }) : error
  }
}

/** Stores the lasting keys where they are not stored yet, so that they no longer follow from any secret. */
export async function storeLastingKeys(tx: Db, secrets: DeploymentSecrets, now: Date): Promise<void> {
  if ((await findLastingKeys(tx)).length === LASTING_PURPOSES.length) return
  const keys = await loadLastingKeys(tx, secrets)
  const box = createSecretBox(secrets, LASTING)
  for (const purpose of LASTING_PURPOSES) {
    const sealed = box.seal(keys[purpose].toString('base64url'), lastingKeyPlace(purpose))
    await insertLastingKey(tx, { purpose, sealed, created_at: now.toISOString() })
  }
}
