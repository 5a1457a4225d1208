import { listChecks } from '../../store/seller-check/seller-checks.ts'
import { defineAct } from '../act.ts'
import { READERS } from '../roles.ts'
import { about, list, listOf, moment, named, object, orNull, pageOf, string } from '../shape.ts'

const checkShape = named(
  'OwnCheck',
  object({
    period: about('first day of the day or week that it is for, UTC', string),
    ended_at: moment,
    held: about('promises that were kept', listOf(string)),
    broken: about('promises that were broken', listOf(string)),
    published_at: about('where everybody can read it; null: selfCheck.publish is not set', orNull(string)),
  }),
)

export const listOwnChecks = defineAct({
  name: 'checks.list',
  route: 'GET /checks',
  id: 'listOwnChecks',
  roles: READERS,
  summary:
    'The last checks of this agent by itself, newest first: which promises of the protocol were held and which were broken.',
  fields: {},
  answer: pageOf(checkShape),
  command: {
    columns: [
      ['PERIOD', ({ period }) => period],
      ['HELD', ({ held }) => String(held.length)],
      ['BROKEN', ({ broken }) => broken.join(' ') || '-'],
      ['ENDED', ({ ended_at: at }) => at],
    ],
  },
  async run({ store, config }) {
    const found = await listChecks(store.read)
    return list(
      found.map(({ period, endedAt, held, broken }) => ({
        ...{ period, ended_at: endedAt, held, broken },
        published_at: config.selfCheck.publish ? `/checks/${period}.html` : null,
      })),
    )
  },
})
