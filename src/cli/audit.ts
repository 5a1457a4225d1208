import type { Command } from 'commander'
import { auditActs } from '../operator/audit/acts.ts'
import { exportAudit } from '../operator/audit/read-audit.ts'
import { chooseTenant } from '../operator/choose-tenant.ts'
import { actsCommand } from './act-command.ts'
import { operate, type TenantOption } from './operate.ts'
import { withStoreOptions } from './store-options.ts'

interface ExportOptions extends TenantOption {
  readonly unknown?: boolean
}

/** `sales-agent audit list|export|verify`: every call that changed something or was refused, and what operators changed. */
export function auditCommand(): Command {
  const audit = actsCommand('audit', auditActs)
  withStoreOptions(
    audit.command('export').description('write a whole chain as JSON lines, with the hashes that hold it together'),
  )
    .option('--tenant <id>')
    .option('--unknown', 'calls of unknown callers and acts on the whole deployment, in place of a tenant')
    .action(exportChain)
  return audit
}

async function exportChain(options: ExportOptions): Promise<void> {
  await operate(options, async (operator) => {
    const tenantId = options.unknown ? '' : await chooseTenant(operator, options.tenant)
    for await (const { bytes: _, ...link } of exportAudit(operator, tenantId)) console.log(JSON.stringify(link))
  })
}
