import { resolve } from 'node:path'
import { Command } from 'commander'
import { AdcpError } from '../protocol/errors.ts'
import { carryOverFolder, carryOverPostgres } from '../store/carry-over.ts'
import { addressName, storeAddress } from '../store/copy-store.ts'
import { print } from './output.ts'
import { configOf, type StoreOptions, withStoreOptions } from './store-options.ts'

interface CarryOverOptions extends StoreOptions {
  readonly from: string
  readonly json?: boolean
}

/** `sales-agent store`: acts on a whole store that the other commands have no name for. */
export function storeCommand(): Command {
  const migrate = withStoreOptions(
    new Command('migrate').description(
      'carry a store over that an earlier version made: a data folder into a new one, or a PostgreSQL database in place',
    ),
  )
    .requiredOption(
      '--from <store>',
      'data folder of the earlier version, a backup that it made, or postgres://… (make a backup first)',
    )
    .option('--json')
    .action(carryOver)
  return new Command('store').description('the whole store: carry it over from an earlier version').addCommand(migrate)
}

async function carryOver(options: CarryOverOptions): Promise<void> {
  if (/^postgres(ql)?:/.test(options.from)) {
    const database = storeAddress(options.from, 'from')
    if (database.kind !== 'postgres') throw new AdcpError('INVALID_REQUEST', '--from: not a database', { field: 'from' })
    return report(options, addressName(database), await carryOverPostgres(database.url))
  }
  const to = resolve(configOf(options).data)
  return report(options, to, await carryOverFolder(resolve(options.from), to))
}

function report({ from, json }: CarryOverOptions, store: string, applied: readonly string[]): void {
  const migrations = applied.length === 0 ? '' : `; migrations applied: ${applied.join(', ')}`
  print(json, { store, applied }, [
    from.startsWith('postgres') ? `${store} is up to date${migrations}` : `${store} holds what ${from} holds${migrations}`,
  ])
}
