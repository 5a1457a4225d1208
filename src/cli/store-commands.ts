import { Command } from 'commander'
import { carryOverStore } from '../operator/store/carry-over-store.ts'
import { print } from './output.ts'
import { configOf, type StoreOptions, withAnswerOptions } from './store-options.ts'

interface CarryOverOptions extends StoreOptions {
  readonly from: string
  readonly json?: boolean
}

/** `sales-agent store`: acts on a whole store that the other commands have no name for. */
export function storeCommand(): Command {
  const migrate = withAnswerOptions(
    new Command('migrate').description(
      'carry a store over that an earlier version made: a data folder into a new one, or a PostgreSQL database in place',
    ),
  )
    .requiredOption(
      '--from <store>',
      'data folder of the earlier version, a backup that it made, or postgres://… (make a backup first)',
    )
    .action(carryOver)
  return new Command('store').addCommand(migrate)
}

async function carryOver(options: CarryOverOptions): Promise<void> {
  const { store, inPlace, applied } = await carryOverStore(configOf(options), options.from)
  const migrations = applied.length === 0 ? '' : `; migrations applied: ${applied.join(', ')}`
  print(options.json, { store, applied }, [
    inPlace ? `${store} is up to date${migrations}` : `${store} holds what ${options.from} holds${migrations}`,
  ])
}
