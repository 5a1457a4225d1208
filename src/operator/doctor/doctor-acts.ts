import { CHECKS, OUTCOMES } from '../../features/doctor/finding.ts'
import { parseJson } from '../../platform/decode/parse-json.ts'
import { defineAct } from '../act.ts'
import { examineAdServers } from '../examine-ad-servers.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, boolean, integer, list, listOf, named, object, optional, pageOf, string, word } from '../shape.ts'
import { examineOwnAgent } from './examine-own.ts'
import { inspectDeployment } from './inspect-deployment.ts'

// Several acts in one file: they ask the same system.

const OF_DEPLOYMENT = { roles: ADMINISTRATORS, scope: 'deployment' } as const

const finding = named(
  'Finding',
  object({
    check: word(...CHECKS),
    outcome: word(...OUTCOMES),
    text: string,
    advice: optional(about('what to do about it', string)),
    tenant: optional(about('the publisher that it is about; absent: the whole deployment', string)),
  }),
)

/** The command line examines other agents too, and without a store. */
export const examineOwn = defineAct({
  ...OF_DEPLOYMENT,
  name: 'doctor.agent',
  route: 'GET /deployment/doctor',
  id: 'examineOwnAgent',
  summary: 'Looks at this agent from outside as buyers do, link by link, and says what is wrong.',
  fields: {},
  answer: named(
    'Examination',
    object({
      agent_url: string,
      healthy: about('buyers can reach, trust and verify the agent', boolean),
      findings: listOf(finding),
    }),
  ),
  run: (context) => examineOwnAgent(context, parseJson),
})

export const listConfiguredAdServers = defineAct({
  ...OF_DEPLOYMENT,
  name: 'doctor.ad-servers',
  route: 'GET /deployment/ad-servers',
  id: 'listConfiguredAdServers',
  summary: 'Whether each ad server that the configuration names can be loaded, and which publishers it serves.',
  fields: {},
  answer: pageOf(finding),
  run: async (context) => list(await examineAdServers(context)),
})

/** The command line has it as `doctor --store`. */
export const inspectStoreOfDeployment = defineAct({
  ...OF_DEPLOYMENT,
  name: 'doctor.store',
  route: 'GET /deployment/store',
  id: 'inspectDeployment',
  summary: 'Whether every table keeps its rules, every acknowledged media buy is still stored, and the logs are unbroken.',
  fields: {},
  answer: object({
    store: string,
    sound: boolean,
    tables: integer,
    rules: integer,
    answers: integer,
    links: integer,
    problems: listOf(
      named('StoreProblem', object({ table: string, rule: string, examples: about('keys of some of the rows', listOf(string)) })),
    ),
  }),
  run: (context) => inspectDeployment(context),
})
