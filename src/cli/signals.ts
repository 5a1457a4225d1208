import { Command } from 'commander'
import { exportSignals, importSignals } from '../operator/signals/import-signals.ts'
import { addExport, addImport, exportText, presentIds } from './import-commands.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface ListOptions extends TenantOption {
  readonly json?: boolean
}

/** `sales-agent signals import|export|list`. */
export function signalsCommand(): Command {
  const signals = new Command('signals')
  addImport(signals, {
    description: 'add and change signals from a JSON file',
    replace: 'take away signals that the file does not list',
    run: importSignals,
    present: (diff) => ({ ...presentIds(diff), value: diff }),
  })
  addExport(signals, 'write the signals as a file that import reads', async (operator, tenantId) =>
    exportText(await exportSignals(operator, tenantId)),
  )
  withStoreOptions(signals.command('list').description('list the signals'))
    .option('--tenant <id>')
    .option('--json')
    .action(listAction)
  return signals
}

function listAction(options: ListOptions): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const { signals } = await exportSignals(operator, tenantId)
    const rows = signals.map((signal) => [
      signal.signal_agent_segment_id,
      signal.name,
      signal.signal_type,
      signal.value_type,
      signal.data_provider_domain ?? '',
      `${signal.coverage_percentage} %`,
      signal.pricing_options.map(({ model }) => model).join(', '),
    ])
    printList(options.json, signals, table(['SIGNAL', 'NAME', 'TYPE', 'VALUES', 'PROVIDER', 'COVERAGE', 'PRICES'], rows))
  })
}
