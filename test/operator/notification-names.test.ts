import { afterAll, beforeAll, expect, it } from 'vitest'
import { CHECKS } from '../../src/operator/notifications/find-conditions.ts'
import { approve } from '../../src/tasks/approvals/decide.ts'
import { BRANDS, type BrandAgent, MUSIC, START, startBrandAgent } from '../support/brand-agent.ts'
import { operatorBeside } from '../support/operator.ts'

/** A text of a buyer that names a person. */
const PERSONAL = 'cut by Jane Doe, jane.doe@agency.example'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent()
  await agent.import({ ...BRANDS, rights: [MUSIC] })
})
afterAll(() => agent.stop())

it('decisions on rights are named by the right and the buyer, by no id and no text of the buyer', async () => {
  const campaign = { description: PERSONAL, uses: ['sync'], start_date: '2026-06-01', end_date: '2026-06-30' }
  const { data } = await agent.acquire({ rights_id: 'tune', pricing_option_id: 'year', campaign })
  const { store, services } = agent.server
  await approve({ ...services, store }, agent.tenant, data.task_id, [], new Date(START))
  const { rights_id } = data
  await agent.run('creative_approval', { rights_id, creative_url: 'https://brand.example/jane-doe.mp4', description: PERSONAL })
  await agent.run('update_rights', { rights_id, end_date: '2026-07-31' })
  const [decisions] = CHECKS
  const found =
    (await decisions?.find(
      operatorBeside(agent, () => new Date(START)),
      agent.tenant,
    )) ?? []
  expect(found.map(({ subject, title, text }) => [subject.slice(0, 4), title, text])).toEqual([
    [
      'rcs_',
      'A creative under the right "Morning tune" of buyer needs a decision',
      expect.stringMatching(/^A creative .*decision\.$/),
    ],
    ['rgt_', 'A change of the right "Morning tune" of buyer needs a decision', expect.stringMatching(/^A change .*decision\.$/)],
  ])
  expect(JSON.stringify(found)).not.toMatch(/jane/i)
})
