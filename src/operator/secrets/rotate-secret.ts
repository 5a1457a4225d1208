import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { knownSecrets, liveHolders, type SecretHolder } from '../../features/secrets/holders.ts'
import { storeLastingKeys } from '../../features/secrets/lasting-keys.ts'
import { resealStore } from '../../features/secrets/reseal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { makeSecret } from '../../security/secrets/deployment-secret.ts'
import { secretId } from '../../security/secrets/deployment-secrets.ts'
import { parseSecretFile, writeSecretFile } from '../../security/secrets/secret-file.ts'
import { beginRotation, findRotation, markRotation } from '../../store/secrets/secret-rotations.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** What a rotation did. */
export interface Rotated {
  /** Ids. */
  readonly secret: string
  readonly previous: string
  /** How many texts this run sealed again. */
  readonly resealed: number
  /** Whether an interrupted rotation was finished. */
  readonly resumed: boolean
}

interface RotateOptions {
  /** How long to wait for running processes. */
  readonly waitMs: number
}

/** How often processes are asked for. */
const POLL_MS = 200

/**
 * Replaces the deployment's secret: makes a new one, waits until every running process knows it, encrypts with it from then on, and seals everything stored anew.
 * The earlier secret goes on opening and verifying until it is retired. Run again after an interruption, it goes on where it was. Where the environment gives the
 * secret, the operator has made it and it is only sealed anew. Throws INVALID_STATE naming what is missing.
 */
export async function rotateSecret(context: OperatorContext, options: RotateOptions): Promise<Rotated> {
  const { held, given } = context.services.secrets()
  const open = await findRotation(context.store.read)
  const resumed = open !== undefined && open.resealed_at === null && open.secret_id === secretId(held.current())
  if (!resumed) await (given.current === undefined ? switchFile(context, options) : requireNewSecret(context, open?.secret_id))
  held.reload()
  const previousId = resumed ? open.previous_id : secretId(previousOf(context))
  const secret = secretId(held.current())
  await waitFor(context, options, ({ seals }) => seals === secret, 'still encrypts with the earlier secret')
  const store = auditedStore(context, { task: 'secrets.rotate', subject: secret })
  await store.transaction(async (tx) => {
    await storeLastingKeys(tx, held, context.clock())
    await beginRotation(tx, { secretId: secret, previousId }, context.clock())
  })
  let resealed = 0
  // What was sealed while the first pass ran is found by the next.
  for (let changed = -1; changed !== 0; resealed += changed) changed = await resealStore(store, held)
  await store.transaction((tx) => markRotation(tx, secret, { resealed_at: context.clock().toISOString() }))
  return { secret, previous: previousId, resealed, resumed }
}

/** Announces a new secret in the file, waits until every process has it, and makes it the current one. */
async function switchFile(context: OperatorContext, options: RotateOptions): Promise<void> {
  const { held, file } = context.services.secrets()
  const before = parseSecretFile(readFileSync(file, 'utf8'))
  const open = await findRotation(context.store.read)
  const [newest] = before.earlier
  // The file was switched, and the process ended before the store said so.
  if (newest !== undefined && open?.secret_id !== secretId(before.current)) return
  if (newest !== undefined)
    throw new AdcpError(
      'INVALID_STATE',
      `the earlier secret ${secretId(newest)} is still in use: retire it first (sales-agent secrets retire)`,
    )
  const next = before.next ?? makeSecret()
  if (before.next === undefined) writeSecretFile(file, { ...before, next })
  held.reload()
  const id = secretId(next)
  await waitFor(
    context,
    options,
    ({ opens }) => opens.includes(id),
    `does not know the new secret yet: copy ${file} to its machine`,
  )
  writeSecretFile(file, { current: next, earlier: [before.current, ...before.earlier] })
}

/** Where the environment holds the secret: it has to differ from the one before, which has to be given too. */
async function requireNewSecret(context: OperatorContext, known: string | undefined): Promise<void> {
  const { held, given } = context.services.secrets()
  const { seals } = knownSecrets(held)
  if (given.previous.length === 0 || known === seals)
    throw new AdcpError(
      'INVALID_STATE',
      'SALES_AGENT_SECRET gives the secret, so you make the new one: start every process with it as SALES_AGENT_SECRET_NEXT, then with it as SALES_AGENT_SECRET and the earlier one as SALES_AGENT_SECRET_PREVIOUS, and run this again with both (docs/operations.md)',
    )
}

function previousOf({ services }: OperatorContext): string {
  const { held, given } = services.secrets()
  const earlier = given.previous[0] ?? held.all().find((secret) => secret !== held.current())
  return earlier ?? held.current()
}

/** Waits until every running process is as it has to be. Throws INVALID_STATE naming one that is not in time. */
async function waitFor(
  { store }: OperatorContext,
  { waitMs }: RotateOptions,
  isReady: (holder: SecretHolder) => boolean,
  what: string,
): Promise<void> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const late = (await liveHolders(store.read, new Date())).find((holder) => !isReady(holder))
    if (!late) return
    if (performance.now() >= deadline)
      throw new AdcpError(
        'INVALID_STATE',
        `process ${late.pid} (${late.source}, seen ${late.seenAt}) ${what}; then run this again`,
      )
    await sleep(POLL_MS)
  }
}
