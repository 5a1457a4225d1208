import type { Kysely } from 'kysely'

interface Before {
  tenant_ad_servers: { tenant_id: string; name: string; options: string }
  spend_approvals: { tenant_id: string; agent_url: string }
}

/**
 * What follows the `?` of the address of a governance agent lies sealed beside the rest; addresses of before are parted at the next start, which has the secret. The
 * addresses of ad servers take no query, which nothing was ever called with; approvals name their agent without it.
 */
export async function up(db: Kysely<Before>): Promise<void> {
  await db.schema.alterTable('account_governance_agents').addColumn('query', 'text').execute()
  const adServers = await db.selectFrom('tenant_ad_servers').selectAll().where('options', 'like', '%?%').execute()
  for (const { tenant_id, name, options } of adServers) {
    const stripped = JSON.stringify(JSON.parse(options, (member, value) => (member === 'url' ? withoutQuery(value) : value)))
    await db
      .updateTable('tenant_ad_servers')
      .set({ options: stripped })
      .where('tenant_id', '=', tenant_id)
      .where('name', '=', name)
      .execute()
  }
  const approvals = await db
    .selectFrom('spend_approvals')
    .select(['tenant_id', 'agent_url'])
    .distinct()
    .where('agent_url', 'like', '%?%')
    .execute()
  for (const { tenant_id, agent_url } of approvals)
    await db
      .updateTable('spend_approvals')
      .set({ agent_url: withoutQuery(agent_url) })
      .where('tenant_id', '=', tenant_id)
      .where('agent_url', '=', agent_url)
      .execute()
}

function withoutQuery<T>(url: T): T | string {
  return typeof url === 'string' ? (url.split('?', 1)[0] ?? '') : url
}
