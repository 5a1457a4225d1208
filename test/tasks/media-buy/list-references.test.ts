import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setApprovalPolicy } from '../../../src/operator/approvals/approval-policy.ts'
import { listApprovals, showApproval } from '../../../src/operator/approvals/list-approvals.ts'
import { showOrder } from '../../../src/operator/orders/show-order.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { sealStoredListTokens } from '../../../src/store/seal-list-tokens.ts'
import { approve } from '../../../src/tasks/approvals/decide.ts'
import type { AgentClient } from '../../support/client.ts'
import { operatorBeside, performAs } from '../../support/operator.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const contracts = loadContracts()
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
/** Nothing else in the store or in an answer has this text. */
const TOKEN = `swordfish${randomUUID().replaceAll('-', '')}`
const OTHER_TOKEN = `halibut${randomUUID().replaceAll('-', '')}`
const KEEPER = 'https://lists.example/mcp'

const NOW = () => new Date('2026-03-10T12:00:00Z')

let agent: TestAgent
let buyer: AgentClient
let other: AgentClient
const lines: string[] = []
const answers: string[] = []
beforeAll(async () => {
  agent = await startAgent({
    demo: true,
    contracts,
    clock: NOW,
    flags: { 'adServer.type': 'embedded', 'log.level': 'debug' },
    onLog: (line) => lines.push(line),
  })
  buyer = await agent.buyerOn(ACCOUNT, { principal: 'advertiser' })
  other = await agent.buyerOn(ACCOUNT, { principal: 'other' })
}, 120_000)
afterAll(() => agent?.stop())

async function call(client: AgentClient, task: string, args: object) {
  const reply = await client.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
  answers.push(JSON.stringify(reply.data))
  return reply
}

function order(targeting_overlay: object, more: object = {}) {
  return {
    brand: ACCOUNT.brand,
    start_time: '2026-03-11T00:00:00Z',
    end_time: '2026-03-20T00:00:00Z',
    packages: [{ product_id: 'uk_news_display', pricing_option_id: 'cpm_gbp_fixed', budget: 5000, targeting_overlay }],
    ...more,
  }
}

const own = () => agent.server.services.wiring.agentUrl
const listOf = async (client: AgentClient) => {
  const base_properties = [{ selection_type: 'identifiers', identifiers: [{ type: 'domain', value: 'news.site.example' }] }]
  const { data } = await call(client, 'create_property_list', { name: 'Own', base_properties })
  return { list_id: String(data.list.list_id), auth_token: String(data.auth_token) }
}

describe.each(contracts.lines)('a list of this agent that an order names in %s', (line) => {
  const inLine = (task: string, args: object, client = buyer) => call(client, task, { adcp_version: line, ...args })

  it.each(['property_list', 'collection_list', 'collection_list_exclude'])('has to be there: %s', async (member) => {
    const { data } = await inLine('create_media_buy', order({ [member]: { agent_url: own(), list_id: 'pl_unknown' } }))
    const field = `packages[0].targeting_overlay.${member}.list_id`
    expect(data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', recovery: 'correctable', field })
    expect(data.adcp_error.message).toContain(field)
  })

  it.each([
    [
      'an http address',
      'http://lists.example/mcp',
      'over http only 127.0.0.1 and [::1] are read, no other address and no name such as localhost',
    ],
  ])('is not at %s, which nobody would read', async (_name, agent_url, why) => {
    const field = 'packages[0].targeting_overlay.collection_list.agent_url'
    const message = `${field} cannot be read: ${why}; send the https address of the agent that has the list`
    const refused = { code: 'INVALID_REQUEST', field, message }
    const named = { collection_list: { agent_url, list_id: 'cl_1' } }
    const { data } = await inLine('create_media_buy', order(named))
    expect(data.adcp_error).toMatchObject(refused)
    const made = await inLine('create_media_buy', order({}))
    const [{ package_id }] = made.data.packages
    const change = { media_buy_id: made.data.media_buy_id, packages: [{ package_id, targeting_overlay: named }] }
    expect((await inLine('update_media_buy', change)).data.adcp_error).toMatchObject(refused)
  })

  it("is the buyer's own, or came with its token", async () => {
    const { list_id, auth_token } = await listOf(other)
    const named = { agent_url: own(), list_id }
    const unknown = await inLine('create_media_buy', order({ property_list: { ...named, list_id: 'pl_unknown' } }))
    const foreign = await inLine('create_media_buy', order({ property_list: named }))
    expect(foreign.data.adcp_error).toEqual(unknown.data.adcp_error)
    const withToken = await inLine('create_media_buy', order({ property_list: { ...named, auth_token } }))
    expect(withToken.isError, JSON.stringify(withToken.data)).toBeFalsy()
    expect((await inLine('create_media_buy', order({ property_list: named }), other)).isError).toBeFalsy()
  })

  it('has to be there when an order is changed', async () => {
    const { list_id } = await listOf(buyer)
    const { data } = await inLine('create_media_buy', order({ property_list: { agent_url: own(), list_id } }))
    const change = async (id: string) => {
      const [{ package_id }] = data.packages
      const packages = [{ package_id, targeting_overlay: { property_list: { agent_url: own(), list_id: id } } }]
      return inLine('update_media_buy', { media_buy_id: data.media_buy_id, revision: data.revision, packages })
    }
    expect((await change('pl_unknown')).data.adcp_error).toMatchObject({
      code: 'REFERENCE_NOT_FOUND',
      field: 'packages[0].targeting_overlay.property_list.list_id',
    })
    expect((await change(list_id)).isError).toBeFalsy()
  })

  it('of another agent is not asked for when the order is made', async () => {
    const reply = await inLine('create_media_buy', order({ property_list: { agent_url: KEEPER, list_id: 'pl_any' } }))
    expect(reply.isError, JSON.stringify(reply.data)).toBeFalsy()
  })
})

/** Every file of the data folder as text. */
function storedText(): string {
  const { data } = agent.config
  const names = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return names.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n')
}

/** The token of the only line of the embedded ad server that has the order's list. */
async function heldToken(mediaBuyId: string): Promise<string | undefined> {
  const rows = await agent.server.store.read.selectFrom('embedded_lists').select(['reference', 'tenant_id']).execute()
  const found = rows.map((row) => ({ ...row, reference: JSON.parse(row.reference) }))
  const row = found.findLast(({ reference }) => reference.media_buy_id === mediaBuyId)
  return row && agent.server.services.listTokens.open(row.tenant_id, row.reference.auth_token)
}

/** No file of the store, no answer and no log line has a token. */
function requireSecret(): void {
  const places = { store: storedText(), answers: answers.join('\n'), log: lines.join('\n') }
  for (const [place, text] of Object.entries(places))
    for (const token of [TOKEN, OTHER_TOKEN]) expect(text.includes(token), place).toBe(false)
}

describe('the token of a list', () => {
  it('is stored sealed, and is in no answer and no log', async () => {
    const property_list = { agent_url: KEEPER, list_id: 'pl_secret', auth_token: TOKEN }
    const created = await call(buyer, 'create_media_buy', order({ property_list }))
    const mediaBuyId = String(created.data.media_buy_id)
    const shown = { agent_url: KEEPER, list_id: 'pl_secret' }
    expect(created.data.packages[0].targeting_overlay).toEqual({ property_list: shown })
    await expect.poll(() => heldToken(mediaBuyId), { timeout: 60_000 }).toBe(TOKEN)

    const listed = await call(buyer, 'get_media_buys', { media_buy_ids: [mediaBuyId] })
    expect(listed.data.media_buys[0].packages[0].targeting_overlay).toEqual({ property_list: shown })
    const [{ package_id }] = created.data.packages
    // Who sends back what it read has no token; the one of before stays.
    const echoed = { property_list: shown, device_type: ['mobile'] }
    const update = { media_buy_id: mediaBuyId, packages: [{ package_id, targeting_overlay: echoed }] }
    const changed = await call(buyer, 'update_media_buy', { ...update, revision: created.data.revision })
    expect(changed.isError, JSON.stringify(changed.data)).toBeFalsy()
    expect(changed.data.affected_packages[0].targeting_overlay).toEqual(echoed)
    const stored = await agent.server.store.read
      .selectFrom('packages')
      .select('document')
      .where('package_id', '=', package_id)
      .executeTakeFirstOrThrow()
    const sealed = JSON.parse(stored.document).targetingOverlay.property_list.auth_token
    expect(agent.server.services.listTokens.open(agent.tenant, sealed)).toBe(TOKEN)
    const replaced = { agent_url: KEEPER, list_id: 'pl_secret', auth_token: OTHER_TOKEN }
    await call(buyer, 'update_media_buy', {
      media_buy_id: mediaBuyId,
      revision: changed.data.revision,
      packages: [{ package_id, targeting_overlay: { property_list: replaced } }],
    })
    await expect.poll(() => heldToken(mediaBuyId), { timeout: 60_000 }).toBe(OTHER_TOKEN)

    requireSecret()
  }, 120_000)

  it('is not kept with the task of an order that was made at once', async () => {
    const property_list = { agent_url: KEEPER, list_id: 'pl_done', auth_token: TOKEN }
    const push_notification_config = { url: 'https://hooks.brand.example/adcp' }
    const { data } = await call(buyer, 'create_media_buy', order({ property_list }, { push_notification_config }))
    expect(data.media_buy_id, JSON.stringify(data)).toBeDefined()
    const rows = await agent.server.store.read.selectFrom('tasks').select(['request', 'status']).execute()
    const kept = rows.filter(({ request }) => request.includes('pl_done'))
    expect(kept.map(({ status }) => status)).toEqual(['completed'])
    for (const { request } of kept) expect(request).not.toContain('auth_token')
    requireSecret()
  })

  it('is sealed in what waits for the publisher, and still there once it is approved', async () => {
    const { store, services } = agent.server
    const operator = operatorBeside(agent, NOW)
    for (const task of ['create_media_buy', 'update_media_buy'])
      await performAs(operator, agent.tenant, setApprovalPolicy, { task, when: 'always' })
    const approved = async (taskId: string) => {
      const task = await call(buyer, 'get_task_status', { task_id: taskId, include_history: true })
      expect(task.data.status, JSON.stringify(task.data)).toBe('submitted')
      answers.push(
        JSON.stringify(await performAs(operator, agent.tenant, listApprovals, {})),
        JSON.stringify(await performAs(operator, agent.tenant, showApproval, { approval: taskId })),
      )
      await approve({ ...services, store }, agent.tenant, taskId, [], NOW())
      const done = await call(buyer, 'get_task_status', { task_id: taskId, include_history: true })
      expect(done.data.status, JSON.stringify(done.data)).toBe('completed')
      return done.data.result
    }
    const property_list = { agent_url: KEEPER, list_id: 'pl_waits', auth_token: TOKEN }
    const submitted = await call(buyer, 'create_media_buy', order({ property_list }))
    expect(submitted.data).toMatchObject({ status: 'submitted' })
    const { media_buy_id, packages, revision } = await approved(String(submitted.data.task_id))
    expect(packages[0].targeting_overlay).toEqual({ property_list: { agent_url: KEEPER, list_id: 'pl_waits' } })
    await expect.poll(() => heldToken(media_buy_id), { timeout: 60_000 }).toBe(TOKEN)
    answers.push(JSON.stringify(await performAs(operator, agent.tenant, showOrder, { order: media_buy_id })))
    const replaced = { ...property_list, auth_token: OTHER_TOKEN }
    const changed = await call(buyer, 'update_media_buy', {
      media_buy_id,
      revision,
      packages: [{ package_id: packages[0].package_id, targeting_overlay: { property_list: replaced } }],
    })
    expect(changed.data).toMatchObject({ status: 'submitted' })
    await approved(String(changed.data.task_id))
    await expect.poll(() => heldToken(media_buy_id), { timeout: 60_000 }).toBe(OTHER_TOKEN)
    for (const task of ['create_media_buy', 'update_media_buy'])
      await performAs(operator, agent.tenant, setApprovalPolicy, { task, when: 'never' })
    requireSecret()
  }, 120_000)

  it('of a store from before is sealed at the next start', async () => {
    const { store, services } = agent.server
    const created = await call(buyer, 'create_media_buy', order({ property_list: { agent_url: KEEPER, list_id: 'pl_old' } }))
    const [{ package_id }] = created.data.packages
    const reference = { agent_url: KEEPER, list_id: 'pl_old', auth_token: TOKEN, media_buy_id: created.data.media_buy_id }
    await store.transaction(async (tx) => {
      const row = await tx
        .selectFrom('packages')
        .select('document')
        .where('package_id', '=', package_id)
        .executeTakeFirstOrThrow()
      const plain = {
        ...JSON.parse(row.document),
        targetingOverlay: { property_list: reference },
        ext: { auth_token: 'the buyer wrote it' },
      }
      await tx
        .updateTable('packages')
        .set({ document: JSON.stringify(plain) })
        .where('package_id', '=', package_id)
        .execute()
      await tx
        .updateTable('embedded_lists')
        .set({ reference: JSON.stringify(reference) })
        .execute()
      await tx.deleteFrom('stored_upgrades').execute()
    })
    await sealStoredListTokens(store, services.listTokens.seal)
    const { document } = await store.read
      .selectFrom('packages')
      .select('document')
      .where('package_id', '=', package_id)
      .executeTakeFirstOrThrow()
    const { targetingOverlay, ext } = JSON.parse(document)
    expect(services.listTokens.open(agent.tenant, targetingOverlay.property_list.auth_token)).toBe(TOKEN)
    expect(targetingOverlay.property_list.auth_token).toMatch(/^sealed:/)
    expect(ext).toEqual({ auth_token: 'the buyer wrote it' })
    const lists = await store.read.selectFrom('embedded_lists').select('reference').execute()
    expect(JSON.stringify(lists)).not.toContain(TOKEN)
    // Once is enough.
    await sealStoredListTokens(store, () => {
      throw new Error('sealed again')
    })
  })
})
