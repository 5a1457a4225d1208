import { createHash, randomUUID } from 'node:crypto'
import type { AgentClient, TaskReply } from './client.ts'
import { type AgentOptions, startAgent, type TestAgent } from './start-agent.ts'

export const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

/** SHA-256 as buyers send it. */
export const hashed = (text: string): string => createHash('sha256').update(text).digest('hex')

/** People with a hashed mail address each. */
export const people = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({
    external_id: `crm-${from + index}`,
    hashed_email: hashed(`person${from + index}@mail.example`),
  }))

export interface BuyerDataAgent extends TestAgent {
  /** Calls a mutating task for the buyer's account with a fresh idempotency key. */
  run(task: string, args?: object, client?: AgentClient): Promise<TaskReply>
  /** Everything that the store holds, as one text. */
  dump(): Promise<string>
}

/** An agent with a buyer who has one account. */
export async function startBuyerDataAgent(options: AgentOptions = {}): Promise<BuyerDataAgent> {
  const agent = await startAgent({ clock: () => new Date('2026-03-01T12:00:00Z'), ...options })
  const run: BuyerDataAgent['run'] = (task, args = {}, client = agent.buyer) =>
    client.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
  const declared = await run('sync_accounts', { account: undefined, accounts: [{ ...ACCOUNT, billing: 'operator' }] })
  if (declared.isError) throw new Error(JSON.stringify(declared.data))
  return {
    ...agent,
    run,
    async dump() {
      const { read } = agent.server.store
      const tables = await read.introspection.getTables()
      const rows = await Promise.all(
        tables.map(({ name }) =>
          read
            .selectFrom(name as 'tenants')
            .selectAll()
            .execute(),
        ),
      )
      return JSON.stringify(rows)
    },
  }
}
