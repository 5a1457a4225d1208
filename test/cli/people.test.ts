import { afterAll, beforeAll, expect, it } from 'vitest'
import { actsCommand } from '../../src/cli/act-command.ts'
import { peopleActs } from '../../src/operator/people/acts.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent()
})
afterAll(() => agent.stop())

it('an invitation for a publisher that there is not names it, and those that there are', async () => {
  const words = ['invite', '--tenant', 'unknown', '--data', agent.config.data, '--json']
  await expect(actsCommand('people', peopleActs).parseAsync(words, { from: 'user' })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'tenant',
    message: 'no tenant unknown (there are: acme)',
  })
  const { invitations } = await agent.server.store.read
    .selectFrom('person_invitations')
    .select((e) => e.fn.countAll<number>().as('invitations'))
    .executeTakeFirstOrThrow()
  expect(invitations).toBe(0)
})
