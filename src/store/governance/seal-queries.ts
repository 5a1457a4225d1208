import { addressParts } from '../../domain/webhook-address.ts'
import type { Db } from '../database.ts'
import { governanceQueryPlace, governanceSealPlace } from './governance-agents.ts'

export interface GovernanceSeals {
  seal(text: string, place: string): string
  /** Undefined for what was sealed under a secret that is not known. */
  open(sealed: string, place: string): string | undefined
}

/** Seals the queries of addresses of governance agents that were stored before queries were sealed; accounts show the addresses without them. */
export async function sealGovernanceQueries(tx: Db, seals: GovernanceSeals): Promise<void> {
  const agents = await tx.selectFrom('account_governance_agents').selectAll().where('url', 'like', '%?%').execute()
  for (const { tenant_id, account_id, position, url, credentials } of agents) {
    const { shown, query = '' } = addressParts(url)
    const opened = seals.open(credentials, governanceSealPlace(tenant_id, account_id, url))
    // Such an agent cannot be asked before it is named anew.
    if (opened === undefined) continue
    await tx
      .updateTable('account_governance_agents')
      .set({
        url: shown,
        query: seals.seal(query, governanceQueryPlace(tenant_id, account_id, shown)),
        credentials: seals.seal(opened, governanceSealPlace(tenant_id, account_id, shown)),
      })
      .where('tenant_id', '=', tenant_id)
      .where('account_id', '=', account_id)
      .where('position', '=', position)
      .execute()
    const account = await tx
      .selectFrom('accounts')
      .select('document')
      .where('tenant_id', '=', tenant_id)
      .where('account_id', '=', account_id)
      .executeTakeFirst()
    if (!account) continue
    const document = account.document.replaceAll(JSON.stringify(url), JSON.stringify(shown))
    await tx
      .updateTable('accounts')
      .set({ document })
      .where('tenant_id', '=', tenant_id)
      .where('account_id', '=', account_id)
      .execute()
  }
}
