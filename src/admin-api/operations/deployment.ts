import { examineOwnAgent } from '../../operator/doctor/examine-own.ts'
import { inspectDeployment } from '../../operator/doctor/inspect-deployment.ts'
import { examineAdServers } from '../../operator/examine-ad-servers.ts'
import { flag } from '../../operator/fields.ts'
import { showIdentity } from '../../operator/identity/show-identity.ts'
import { ensureSigningKeys, rotateSigningKeys } from '../../operator/identity/signing-keys.ts'
import { list } from '../../operator/shape.ts'
import { snakeMembers } from '../../operator/snake-members.ts'
import { parseJson } from '../../platform/decode/parse-json.ts'
import { type AdminOperation, deploymentOperation } from '../operation.ts'

const COMPROMISED = { compromised: flag('replace every key at once: what they signed counts no more') }

export const deploymentOperations: readonly AdminOperation[] = [
  deploymentOperation('GET /deployment/identity', 'showIdentity', {
    summary: 'The keys of this deployment, and the documents in which others find them.',
    fields: {},
    run: (context) => showIdentity(context),
  }),
  deploymentOperation('POST /deployment/identity/init', 'initIdentity', {
    summary: 'Makes the signing keys that are missing.',
    fields: {},
    async run(context) {
      await ensureSigningKeys(context)
      return showIdentity(context)
    },
  }),
  deploymentOperation('POST /deployment/identity/rotate', 'rotateSigningKeys', {
    summary: 'Announces new signing keys; half an hour later, lets them sign and retires the old ones.',
    fields: COMPROMISED,
    run: async (context, { values: { compromised = false } }) =>
      list((await rotateSigningKeys(context, { compromised })).map(snakeMembers)),
  }),
  deploymentOperation('GET /deployment/doctor', 'examineOwnAgent', {
    summary: 'Looks at this agent from outside as buyers do, link by link, and says what is wrong.',
    fields: {},
    run: (context) => examineOwnAgent(context, parseJson),
  }),
  deploymentOperation('GET /deployment/ad-servers', 'listConfiguredAdServers', {
    summary: 'Whether each ad server that the configuration names can be loaded, and which publishers it serves.',
    fields: {},
    run: async (context) => list(await examineAdServers(context)),
  }),
  deploymentOperation('GET /deployment/store', 'inspectDeployment', {
    summary: 'Whether every table keeps its rules, every acknowledged media buy is there, and the logs are unbroken.',
    fields: {},
    run: (context) => inspectDeployment(context),
  }),
]
