import type { Command } from 'commander'
import { adServerActs } from '../operator/ad-servers/acts.ts'
import { showOrderRecords } from '../operator/orders/order-records.ts'
import { actsCommand } from './act-command.ts'
import { operateFor, performHere, type TenantOption } from './operate.ts'
import { printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

/** `sales-agent adservers`: the acts of ad servers, and `errors`, a part of the records of an order. */
export function adserversCommand(): Command {
  const group = actsCommand('adservers', adServerActs)
  const errors = group
    .command('errors <media-buy>')
    .description('show what video players could not play of an order, by VAST error code')
  withStoreOptions(errors).option('--tenant <id>').option('--json').action(showErrors)
  return group
}

function showErrors(mediaBuyId: string, options: TenantOption & { readonly json?: boolean }): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const { errors: rows } = await performHere(operator, tenantId, showOrderRecords, { order: mediaBuyId })
    const cells = rows.map((row) => [row.code, row.meaning, row.package_id, row.creative_id, String(row.errors)])
    printList(options.json, rows, table(['CODE', 'MEANING', 'PACKAGE', 'CREATIVE', 'ERRORS'], cells))
  })
}
