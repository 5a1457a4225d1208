import type { Dispatch } from '../../pipeline/call.ts'
import { declaresField } from '../../pipeline/declared-fields.ts'
import { changesState } from '../../pipeline/mutating.ts'
import { listedTasks } from '../../pipeline/offered-tasks.ts'
import type { Services } from '../../pipeline/services.ts'
import type { Task } from '../../pipeline/task.ts'
import { type Caller, identify } from '../../security/auth/identify.ts'
import type { TransportCredentials } from '../../security/auth/transport-credentials.ts'
import type { Verifier } from '../../security/auth/verifier.ts'
import type { AnswerSeal } from '../../security/secrets/sealed-answer.ts'
import { findTenantOfAddress } from '../../store/identity/tenants.ts'
import { bodilessCredentials } from '../http/bodiless-credentials.ts'
import type { Route } from '../http/server.ts'
import { agentCard } from './card.ts'
import { cardRoute } from './card-route.ts'
import { type A2aHttpOptions, createA2aHttpHandler } from './http.ts'
import { createRequestHandler } from './request-handler.ts'
import type { StoredTaskOptions } from './stored-tasks.ts'

export interface A2aOptions extends StoredTaskOptions, Omit<A2aHttpOptions, 'handler' | 'identify' | 'methodsToSign'> {
  readonly dispatch: Dispatch
  readonly answerSeal: AnswerSeal
  readonly verifiers: readonly Verifier[]
  readonly services: Pick<Services, 'webhooks' | 'wiring' | 'contracts' | 'signals' | 'brands'>
  /** Every registered task by name and alias. */
  readonly tasks: ReadonlyMap<string, Task>
  readonly version: string
}

/** The two routes of the A2A transport. Each captures the tenant of its path. */
export interface A2aDoor {
  /** JSON-RPC. */
  readonly rpc: Route
  /** The agent card. */
  readonly card: Route
}

/** The A2A transport over the tasks of an app. */
export function composeA2a(options: A2aOptions): A2aDoor {
  const { verifiers, clock, tasks } = options
  const { wiring, contracts } = options.services
  const origin = new URL(wiring.agentUrl).origin
  const ask = (credentials: TransportCredentials) => identify(verifiers, credentials, clock())
  const cardOf = async (publicTenant: string | undefined, reader: Caller | undefined) => {
    const known = reader?.kind === 'known' ? reader : undefined
    const tenant = known?.tenant ?? (await findTenantOfAddress(options.store.read, publicTenant))
    return agentCard({
      url: `${origin}${publicTenant === undefined ? '' : `/t/${publicTenant}`}/a2a`,
      version: options.version,
      contracts: contracts.only(tenant?.settings.releases),
      tasks: await listedTasks(options.services, tenant, known?.principal),
    })
  }
  const handler = createRequestHandler({
    ...options,
    publicCard: () => cardOf(undefined, undefined),
    async cardFor({ caller, publicTenant }) {
      return cardOf(publicTenant, await caller())
    },
    isChange: (skill, args) => changesState(tasks.get(skill), args),
    takesPush(skill) {
      const task = tasks.get(skill)
      return task !== undefined && declaresField(contracts.base.schemas, task.name, ['push_notification_config'])
    },
  })
  const rpc = createA2aHttpHandler({
    ...options,
    handler,
    identify: ask,
    methodsToSign: wiring.signing.protocolMethodsRequiredFor,
  })
  const card = cardRoute(async (request, publicTenant) => {
    // A reader whose credentials do not count sees what everybody sees; nothing is refused here.
    const reader = await ask(bodilessCredentials(request, options.peerOf)).catch(() => undefined)
    return cardOf(publicTenant, reader)
  })
  return { rpc: (request, response, [tenant]) => rpc(request, response, tenant), card }
}
