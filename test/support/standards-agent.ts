import { randomUUID } from 'node:crypto'
import type { AgentClient, TaskReply } from './client.ts'
import { startAgent, type TestAgent } from './start-agent.ts'

export interface StandardsAgent extends TestAgent {
  run(task: string, args?: object, client?: AgentClient): Promise<TaskReply>
  /** Creates standards with these policies and returns their id. */
  standards(policies: readonly object[], more?: object): Promise<string>
}

export const must = (policy_id: string, policy: string, more: object = {}) => ({
  policy_id,
  enforcement: 'must',
  policy,
  ...more,
})

/** An artifact with one text. */
export const article = (content: string, more: object = {}) => ({
  property_rid: 'pub.example/news',
  artifact_id: 'a1',
  assets: [{ type: 'text', role: 'paragraph', content }],
  ...more,
})

export async function startStandardsAgent(): Promise<StandardsAgent> {
  const agent = await startAgent({ clock: () => new Date('2026-03-01T12:00:00Z') })
  const run: StandardsAgent['run'] = (task, args = {}, client = agent.buyer) =>
    client.call(task, { idempotency_key: randomUUID(), ...args })
  return {
    ...agent,
    run,
    async standards(policies, more = {}) {
      const { data } = await run('create_content_standards', { scope: { languages_any: ['en'] }, policies, ...more })
      return data.standards_id
    },
  }
}
