import { Command } from 'commander'
import { retireSecret } from '../operator/secrets/retire-secret.ts'
import { rotateSecret } from '../operator/secrets/rotate-secret.ts'
import { readSecretState } from '../operator/secrets/secret-state.ts'
import { operate } from './operate.ts'
import { print } from './output.ts'
import { type StoreOptions, withAnswerOptions } from './store-options.ts'
import { wholeNumber } from './whole-number.ts'

interface Options extends StoreOptions {
  readonly json?: boolean
}

/** How long running processes take to read the file again, with room for a loaded machine. */
const WAIT_SECONDS = 15

/** `sales-agent secrets status|rotate|retire`: the secret that everything else of the deployment is encrypted and signed under. */
export function secretsCommand(): Command {
  const secrets = new Command('secrets')
  withAnswerOptions(
    secrets.command('status').description('which secrets are in use, what is sealed under which, and which processes have them'),
  ).action(showStatus)
  withAnswerOptions(
    secrets
      .command('rotate')
      .description('encrypt with a new secret and seal everything anew; the earlier one goes on opening and verifying'),
  )
    .option('--wait <seconds>', 'how long to wait for running processes', wholeNumber(0), WAIT_SECONDS)
    .action(rotate)
  withAnswerOptions(secrets.command('retire').description('take the earlier secret out of use; what it signed stops working'))
    .option('--now', 'before its links have ended, as for a secret that others know')
    .action(retire)
  return secrets
}

function showStatus(options: Options): Promise<void> {
  return operate(options, async (operator) => {
    const { source, current, others, rotation, retireAfter, texts, processes } = await readSecretState(operator)
    const value = {
      source,
      current,
      others,
      rotation: rotation ?? null,
      retire_after: retireAfter ?? null,
      texts,
      processes: processes.map(({ seenAt, ...process }) => ({ ...process, seen_at: seenAt })),
    }
    print(options.json, value, [
      `current secret ${current} (${source})${others.length > 0 ? `; also opens ${others.join(', ')}` : ''}`,
      rotation
        ? `rotated ${rotation.switched_at} from ${rotation.previous_id}: ${stageOf(rotation)}${retireAfter === undefined ? '' : `; it may be retired from ${retireAfter}`}`
        : 'never rotated',
      `sealed under an earlier secret: ${texts.earlier}; cannot be opened: ${texts.unreadable}`,
      ...processes.map(
        ({ pid, machine, seals, opens }) => `process ${pid} on ${machine}: encrypts with ${seals}, opens ${opens.join(', ')}`,
      ),
    ])
  })
}

function stageOf({
  resealed_at,
  retired_at,
}: {
  readonly resealed_at: string | null
  readonly retired_at: string | null
}): string {
  if (retired_at !== null) return `retired ${retired_at}`
  return resealed_at === null ? 'interrupted; run "sales-agent secrets rotate" again' : 'everything is sealed anew'
}

function rotate({ wait, ...options }: Options & { readonly wait: number }): Promise<void> {
  return operate(options, async (operator) => {
    const { secret, previous, resealed, resumed } = await rotateSecret(operator, { waitMs: wait * 1000 })
    print(options.json, { secret, previous, resealed, resumed }, [
      `${resumed ? 'finished the rotation: ' : ''}secret ${secret} encrypts and signs; ${resealed} texts were sealed anew`,
      `${previous} still opens and verifies: save the new secret, and retire the earlier one in eight days (sales-agent secrets retire)`,
    ])
  })
}

function retire({ now = false, ...options }: Options & { readonly now?: boolean }): Promise<void> {
  return operate(options, async (operator) => {
    const { retired, resealed } = await retireSecret(operator, { now })
    print(options.json, { retired, resealed }, [
      `secret ${retired} is out of use; a backup from before its rotation needs it: store it with that backup`,
    ])
  })
}
