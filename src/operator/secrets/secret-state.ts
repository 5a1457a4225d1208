import { DAY_MS } from '../../domain/calendar/instant.ts'
import { knownSecrets, liveHolders, type SecretHolder } from '../../features/secrets/holders.ts'
import { countOutdated, type SealedCount } from '../../features/secrets/reseal.ts'
import { findRotation, type SecretRotation } from '../../store/secrets/secret-rotations.ts'
import type { OperatorContext } from '../operator-context.ts'

/** An earlier secret verifies links for so long after the switch: previews are good for a week unless more is asked for, and the clocks of machines differ. */
export const VERIFIES_MS = 8 * DAY_MS

/** The deployment's secrets, named by ids from which nothing of a secret follows. */
export interface SecretState {
  /** The file, or `environment`. */
  readonly source: string
  readonly current: string
  /** Others that this process opens and verifies with. */
  readonly others: readonly string[]
  readonly rotation: SecretRotation | undefined
  /** When the earlier secret may be retired; undefined: there is none to retire. */
  readonly retireAfter: string | undefined
  readonly texts: SealedCount
  readonly processes: readonly SecretHolder[]
}

/** Reads which secrets exist, how much is sealed under each, and which processes know them. */
export async function readSecretState({ store, services }: Pick<OperatorContext, 'store' | 'services'>): Promise<SecretState> {
  const { held, given, file } = services.secrets()
  const { seals, opens } = knownSecrets(held)
  const rotation = await findRotation(store.read)
  const isOpen = rotation !== undefined && rotation.retired_at === null
  return {
    source: given.current === undefined ? file : 'environment',
    current: seals,
    others: opens.filter((id) => id !== seals),
    rotation,
    retireAfter: isOpen ? new Date(Date.parse(rotation.switched_at) + VERIFIES_MS).toISOString() : undefined,
    texts: await countOutdated(store.read, held),
    processes: await liveHolders(store.read, new Date()),
  }
}
