import { parseJson } from '../../platform/decode/parse-json.ts'
import { definePersonAct } from '../act.ts'
import { SELLERS } from '../roles.ts'

/**
 * What people of a publisher ask at its page: `doctor.agent` without what is about other publishers, or about the ad servers of the configuration as a whole. Administrators
 * of the deployment get all of it.
 */
export const examineForPublisher = definePersonAct({
  name: 'doctor.publisher',
  roles: SELLERS,
  changes: false,
  fields: {},
  async run(context) {
    // What examines an agent is loaded when somebody asks for it.
    const { examineOwnAgent, isHealthy } = await import('./examine-own.ts')
    const examination = await examineOwnAgent(context, parseJson)
    if (context.caller.deployment) return examination
    const findings = examination.findings.filter(({ check, tenant }) =>
      tenant === undefined ? check !== 'ad server' : tenant === context.tenantId,
    )
    return { ...examination, healthy: isHealthy(findings), findings }
  },
})
