import { AdcpError } from '../../protocol/errors.ts'
import { eraseSessions as eraseStoredSessions } from '../../store/si/si-sessions.ts'
import { defineAct } from '../act.ts'
import { moment } from '../moment.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { integer, object } from '../shape.ts'
import { idText } from '../text-form.ts'

/**
 * Erases who took part in sponsored conversations and what was said, also while they run: in one session, or in all that were last active before a time. Gives
 * how many. Throws INVALID_REQUEST unless exactly one of them is given.
 */
export const eraseSessions = defineAct({
  name: 'sessions.erase',
  route: 'POST /sessions/erase',
  id: 'eraseSessions',
  roles: ADMINISTRATORS,
  summary: 'Erases sponsored conversations: one, or all that were last active before a time.',
  fields: { session: idText('id of one session'), before: moment('all that were last active before this time') },
  answer: object({ erased: integer }),
  subject: 'session',
  command: {
    confirm: ({ session }) =>
      `What was said in ${session === undefined ? 'these sessions' : `session ${session}`} is erased for good. Go on?`,
    text: ({ erased }) => [`erased what ${erased} sessions held`],
    json: ({ erased }, _values, tenant) => ({ tenant, erased }),
  },
  async run({ store, tenantId, noteChanges }, { session, before }) {
    const which = whichOf(session, before)
    return store.transaction(async (tx) => {
      const erased = await eraseStoredSessions(tx, tenantId, which)
      noteChanges({ before: [null, before ?? null], erased_sessions: [null, erased] })
      return { erased }
    })
  },
})

function whichOf(sessionId: string | undefined, before: string | undefined): Parameters<typeof eraseStoredSessions>[2] {
  if (sessionId !== undefined && before === undefined) return { sessionId }
  if (sessionId === undefined && before !== undefined) return { before: new Date(before) }
  throw new AdcpError('INVALID_REQUEST', 'send either session or before', { field: 'session' })
}
