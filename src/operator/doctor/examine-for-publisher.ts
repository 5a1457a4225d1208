import { parseJson } from '../../platform/decode/parse-json.ts'
import { definePersonAct } from '../act.ts'
import { SELLERS } from '../roles.ts'

/** What people of a publisher ask at its page: the act of administrators of the deployment, of which the page shows what is about their publisher. */
export const examineForPublisher = definePersonAct({
  name: 'doctor.publisher',
  roles: SELLERS,
  changes: false,
  fields: {},
  // What examines an agent is loaded when somebody asks for it.
  run: async (context) => (await import('./examine-own.ts')).examineOwnAgent(context, parseJson),
})
