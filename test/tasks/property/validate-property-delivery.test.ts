import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { directoryId } from '../../../src/store/directory/directory-agents.ts'
import { withAuthorizations } from '../../../src/tasks/property/seller-authorizations.ts'
import { type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'

let agent: ListsAgent
let listId: string

beforeAll(async () => {
  agent = await startListsAgent()
  const { data } = await agent.propertyList(['outdoor.example', '*.network.example', 'bad.example', 'unsure.example'], {
    filters: {
      exclude_identifiers: [{ type: 'domain', value: 'bad.example' }],
      property_types: ['website'],
    },
  })
  listId = data.list.list_id
})
afterAll(() => agent.stop())

const record = (value: string, impressions: number, more: object = {}) => ({
  identifier: { type: 'domain', value },
  impressions,
  ...more,
})
const validate = async (records: object[], more: object = {}, client = agent.buyer) =>
  (await client.call('validate_property_delivery', { list_id: listId, records, ...more })).data

describe('validate_property_delivery', () => {
  it('says what was on the list and what was not, in records and impressions', async () => {
    const data = await validate([
      record('www.outdoor.example', 500),
      record('deep.network.example', 300),
      record('bad.example', 20, { record_id: 'r3' }),
      record('randomsite.example', 10),
      record('not a domain', 1),
    ])
    expect(data.compliant).toBe(false)
    expect(data.summary).toEqual({
      total_records: 5,
      total_impressions: 831,
      compliant_records: 2,
      compliant_impressions: 800,
      non_compliant_records: 2,
      non_compliant_impressions: 30,
      not_covered_records: 0,
      not_covered_impressions: 0,
      unidentified_records: 1,
      unidentified_impressions: 1,
    })
    expect(data.results).toMatchObject([
      { record_id: 'r3', status: 'non_compliant', features: [{ feature_id: 'record:excluded', status: 'failed' }] },
      { status: 'non_compliant', features: [{ feature_id: 'record:list_membership', status: 'failed' }] },
      { status: 'unidentified', features: [{ feature_id: 'record:list_membership', status: 'unevaluated' }] },
    ])
  })

  it('is compliant only when everything is', async () => {
    expect(await validate([record('outdoor.example', 1)])).toMatchObject({ compliant: true, results: [] })
    expect(await validate([record('outdoor.example', 1)], { include_compliant: true })).toMatchObject({
      results: [{ status: 'compliant' }],
    })
    expect(await validate([record('outdoor.example', 1), record('not a domain', 1)])).not.toHaveProperty('compliant')
  })

  it('reports what the list names and a filter cannot judge as not covered', async () => {
    const { data } = await agent.propertyList(['unsure.example'], { filters: { channels_any: ['display'] } })
    const reply = await agent.buyer.call('validate_property_delivery', {
      list_id: data.list.list_id,
      records: [record('unsure.example', 7)],
    })
    expect(reply.data.results).toMatchObject([{ status: 'not_covered', impressions: 7 }])
  })

  it('serves others while the records of one call are held against the directory', async () => {
    const records = Array.from({ length: 50_000 }, (_, index) => ({
      identifier: { type: 'ios_bundle', value: `app${index}` } as const,
      impressions: 1,
      salesAgentUrl: `https://agent${index}.example/mcp`,
    }))
    let others = 0
    const counting = setInterval(() => others++, 0)
    await withAuthorizations(agent.server.store.read, records, [])
    clearInterval(counting)
    expect(others).toBeGreaterThan(1)
  })

  it('asks the directory who may sell', async () => {
    await indexPublisher('outdoor.example', 'https://good.example/mcp')
    const seller = (url: string) => ({ sales_agent_url: url })
    const data = await validate(
      [
        record('outdoor.example', 5, seller('https://good.example/mcp')),
        record('www.outdoor.example', 3, seller('https://rogue.example/mcp')),
        record('a.network.example', 2, seller('https://good.example/mcp')),
      ],
      { include_compliant: true },
    )
    expect(data.results.map(({ authorization }: { authorization: { status: string } }) => authorization.status)).toEqual([
      'authorized',
      'unauthorized',
      'unknown',
    ])
    expect(data.results[1]).toMatchObject({
      status: 'compliant',
      authorization: { publisher_domain: 'outdoor.example', violation: { code: 'agent_not_authorized' } },
      features: [{ feature_id: 'record:list_membership' }, { feature_id: 'delivery:seller_authorization', status: 'failed' }],
    })
    expect(data.authorization_summary).toMatchObject({
      records_checked: 3,
      impressions_checked: 10,
      authorized_impressions: 5,
      unauthorized_impressions: 3,
      unknown_impressions: 2,
    })
  })

  it("does not validate against another agent's list", async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    expect((await validate([record('outdoor.example', 1)], {}, stranger)).adcp_error.code).toBe('REFERENCE_NOT_FOUND')
  })
})

/** Puts a publisher into the index as a crawl leaves it. */
async function indexPublisher(domain: string, agentUrl: string): Promise<void> {
  const url = `https://${domain}/.well-known/adagents.json`
  const at = '2026-03-01T00:00:00.000Z'
  await agent.server.store.transaction(async (tx) => {
    await tx
      .insertInto('directory_documents')
      .values({
        document_id: directoryId(url),
        url,
        host: domain,
        fans_out: 0,
        refresh: 1,
        verified_at: at,
        attempted_at: at,
        failing_since: null,
        expires_at: null,
        rederive: 0,
        soonest_at: null,
        short_form: 0,
        last_updated: null,
        etag: null,
        last_modified: null,
        lease_owner: null,
        lease_until: null,
      })
      .execute()
    await tx
      .insertInto('directory_agents')
      .values({ agent_id: directoryId(agentUrl), agent_url: agentUrl, version: 1, changed_at: at })
      .execute()
    await tx
      .insertInto('directory_claims')
      .values({
        agent_id: directoryId(agentUrl),
        publisher_domain: domain,
        route: 'own',
        document_id: directoryId(url),
        shown: 'authorized',
        status: 'authorized',
        observed_at: null,
        discovery_method: 'direct',
        manager_domain: null,
        properties_authorized: 1,
        properties_total: 1,
        signing_keys_pinned: 0,
        verified_at: at,
        property_ids: '["site"]',
      })
      .execute()
  })
}
