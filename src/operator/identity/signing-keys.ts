import type { KeyPurpose } from '../../security/signing/key-provider.ts'
import { type Rotation, replaceCompromised, rotate } from '../../security/signing/key-rotation.ts'
import { ensureSigningKey } from '../../security/signing/stored-keys.ts'
import { listSigningKeys } from '../../store/identity/signing-keys.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

const PURPOSES: readonly KeyPurpose[] = ['request-signing', 'webhook-signing', 'governance-signing']

/** A step of the rotation of one key. */
export type KeyRotation = Rotation & { readonly purpose: KeyPurpose }

/** Makes the signing keys of this deployment that are missing. */
export async function ensureSigningKeys(context: OperatorContext): Promise<void> {
  const box = await context.services.signingKeyBox()
  const store = auditedStore(context, { task: 'identity.init' })
  await store.transaction(async (tx) => {
    for (const purpose of PURPOSES) await ensureSigningKey(tx, box, purpose, context.clock())
  })
}

/**
 * Announces new signing keys; a second run, half an hour later, lets them sign and retires the old ones. `compromised` keys are replaced at once: receivers refuse this
 * agent until they fetch the new ones.
 */
export async function rotateSigningKeys(
  context: OperatorContext,
  { compromised }: { readonly compromised: boolean },
): Promise<readonly KeyRotation[]> {
  const step = compromised ? replaceCompromised : rotate
  const box = await context.services.signingKeyBox()
  const store = auditedStore(context, { task: compromised ? 'identity.replace' : 'identity.rotate' })
  return store.transaction(async (tx) => {
    const rotations: KeyRotation[] = []
    for (const purpose of PURPOSES) rotations.push({ purpose, ...(await step(tx, box, purpose, context.clock())) })
    const ofBrands = new Set((await listSigningKeys(tx, 'response-signing')).map(({ subject }) => subject))
    for (const subject of ofBrands) {
      rotations.push({ purpose: 'response-signing', ...(await step(tx, box, 'response-signing', context.clock(), subject)) })
    }
    return rotations
  })
}
