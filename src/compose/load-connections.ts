import type { Logger } from 'pino'
import { CONNECTIONS, type ConnectionName, type ConnectionSettings } from '../config/connection-settings.ts'
import type { ProductRanking } from '../domain/product/ranking-port.ts'
import type { ByCaller } from '../domain/protocol/by-caller.ts'
import type { IdentityGraph } from '../features/audiences/identity-graph.ts'
import { createSimulatedIdentityGraph } from '../features/audiences/simulated-identity-graph.ts'
import { checkedArtifacts } from '../features/connections/artifacts.ts'
import { type CallSystem, callsOf } from '../features/connections/checked-system.ts'
import { checkedClassifier } from '../features/connections/content-classifier.ts'
import { checkedBuilder, transformerFaults } from '../features/connections/creative-builder.ts'
import { checkedEvaluator, featureFaults } from '../features/connections/creative-evaluator.ts'
import { checkedIdentityGraph } from '../features/connections/identity-graph.ts'
import { checkedRanking, type FallbackReason, withFallback } from '../features/connections/product-ranking.ts'
import { checkedSiHost } from '../features/connections/si-host.ts'
import type { ArtifactSource } from '../features/content-standards/artifact-source.ts'
import type { ContentClassifier } from '../features/content-standards/content-classifier.ts'
import { createKeywordClassifier } from '../features/content-standards/keyword-classifier.ts'
import { createSimulatedArtifacts } from '../features/content-standards/simulated-artifacts.ts'
import type { CreativeBuilder } from '../features/creatives/creative-builder.ts'
import type { CreativeEvaluator } from '../features/creatives/creative-evaluator.ts'
import { createRuleEvaluator } from '../features/creatives/rule-evaluator.ts'
import { createTemplateBuilder } from '../features/creatives/template-builder.ts'
import { createScriptedSiHost } from '../features/sponsored-intelligence/scripted-si-host.ts'
import type { SiHost } from '../features/sponsored-intelligence/si-host.ts'
import type { Connected } from '../operator/operator-context.ts'
import type { Services } from '../pipeline/services.ts'
import type { KnowsCode } from '../protocol/foreign-error.ts'
import { makeFromModule, moduleRefusal } from './load-module.ts'

/** The services that a publisher may have systems of its own for. */
export type Connections = Pick<Services, ConnectionName>

interface Ports {
  readonly identityGraph: IdentityGraph
  readonly artifacts: ArtifactSource
  readonly siHost: SiHost
  readonly contentClassifier: ContentClassifier
  readonly creativeBuilder: CreativeBuilder
  readonly creativeEvaluator: CreativeEvaluator
  readonly ranking: ProductRanking
}
type Port<N extends ConnectionName> = Ports[N]

/** What a module has to make. */
interface Kind<B> {
  /** For messages, e.g. `the identity graph`. */
  readonly what: string
  readonly methods: readonly (keyof B & string)[]
  readonly texts: readonly (keyof B & string)[]
  /** Whether it says if its results are made up. */
  readonly saysSimulated: boolean
  /** What else is wrong with it. */
  readonly faults?: (made: object) => readonly string[]
  /** The same, with its answers checked. */
  readonly checked: (inner: B, call: CallSystem) => B
}

const NAMED = ['name', 'description'] as const

const KINDS: { readonly [N in ConnectionName]: Kind<Port<N>> } = {
  identityGraph: {
    what: 'the identity graph',
    methods: ['match'],
    texts: NAMED,
    saysSimulated: true,
    checked: checkedIdentityGraph,
  },
  artifacts: {
    what: 'the store of artifacts',
    methods: ['collect'],
    texts: NAMED,
    saysSimulated: true,
    checked: checkedArtifacts,
  },
  siHost: { what: 'the conversation host', methods: ['reply'], texts: NAMED, saysSimulated: true, checked: checkedSiHost },
  contentClassifier: {
    what: 'the content classifier',
    methods: ['assess'],
    texts: NAMED,
    saysSimulated: false,
    checked: checkedClassifier,
  },
  creativeBuilder: {
    what: 'the creative builder',
    methods: ['build'],
    texts: NAMED,
    saysSimulated: false,
    faults: (made) => transformerFaults(Reflect.get(made, 'transformers')),
    checked: checkedBuilder,
  },
  creativeEvaluator: {
    what: 'the creative evaluator',
    methods: ['evaluate'],
    texts: [...NAMED, 'version'],
    saysSimulated: false,
    faults: (made) => featureFaults(Reflect.get(made, 'features')),
    checked: checkedEvaluator,
  },
  ranking: { what: 'the ranking', methods: ['rank'], texts: NAMED, saysSimulated: false, checked: checkedRanking },
}

interface LoadContext {
  readonly knowsCode: KnowsCode
  readonly log: Logger
  /** Told of each answer that a ranking did not give. */
  readonly fellBack?: (reason: FallbackReason) => void
}

/**
 * The publisher's own systems where the configuration names modules, else what this program brings along. Throws ConfigError for a module that cannot be
 * used. Identity graph, artifacts and conversations of sandbox callers stay simulated.
 */
export async function loadConnections(
  connect: ConnectionSettings,
  { knowsCode, log, fellBack = () => undefined }: LoadContext,
): Promise<Connections> {
  const own = async <N extends ConnectionName>(name: N, kind: Kind<Port<N>>): Promise<Port<N> | undefined> => {
    const choice = connect[name]
    if (!choice) return undefined
    const key = `connect.${name}`
    const refuse = moduleRefusal(key, choice)
    const setup = { options: choice.options ?? {}, log: log.child({ connection: name }) }
    const what = kind.what.replace(/^the /, '')
    const made = await makeFromModule(choice, { setup, what, write: 'export default ({ options, log }) => ({ … })' }, refuse)
    if (!hasShape(made, kind)) return refuse(`makes no ${what}: ${faultsOf(made, kind).join('; ')}`)
    return kind.checked(made, callsOf(key, kind.what, knowsCode))
  }
  const ranking = await own('ranking', KINDS.ranking)
  const timeoutMs = connect.ranking?.timeoutMs ?? RANKING_MS
  const switched = <B>(sandbox: B, live: B | undefined): ByCaller<B> => ({ live: live ?? sandbox, sandbox })
  return {
    identityGraph: switched(createSimulatedIdentityGraph(), await own('identityGraph', KINDS.identityGraph)),
    artifacts: switched(createSimulatedArtifacts(), await own('artifacts', KINDS.artifacts)),
    siHost: switched(createScriptedSiHost(), await own('siHost', KINDS.siHost)),
    contentClassifier: (await own('contentClassifier', KINDS.contentClassifier)) ?? createKeywordClassifier(),
    creativeBuilder: (await own('creativeBuilder', KINDS.creativeBuilder)) ?? createTemplateBuilder(),
    creativeEvaluator: (await own('creativeEvaluator', KINDS.creativeEvaluator)) ?? createRuleEvaluator(),
    ranking: ranking && withFallback(ranking, { timeoutMs, log: log.child({ connection: 'ranking' }), fellBack }),
  }
}

/** How long a ranking is waited for where the setting does not say: a search that takes longer is given up by people. */
const RANKING_MS = 2_000

/** What the configuration connects, for people. */
export function connectedSystems(
  { connect }: { readonly connect: ConnectionSettings },
  connections: Connections,
): readonly Connected[] {
  const names: { readonly [N in ConnectionName]: string } = {
    identityGraph: connections.identityGraph.live.name,
    artifacts: connections.artifacts.live.name,
    siHost: connections.siHost.live.name,
    contentClassifier: connections.contentClassifier.name,
    creativeBuilder: connections.creativeBuilder.name,
    creativeEvaluator: connections.creativeEvaluator.name,
    ranking: connections.ranking?.name ?? '',
  }
  return CONNECTIONS.filter((setting) => connect[setting]).map((setting) => ({
    setting: `connect.${setting}`,
    name: names[setting],
  }))
}

function hasShape<B>(made: unknown, kind: Kind<B>): made is B {
  return faultsOf(made, kind).length === 0
}

function faultsOf<B>(made: unknown, { methods, texts, saysSimulated, faults }: Kind<B>): readonly string[] {
  if (typeof made !== 'object' || made === null) return [`it is ${made === null ? 'null' : typeof made}, not an object`]
  const missing = methods.filter((method) => typeof Reflect.get(made, method) !== 'function')
  return [
    ...(missing.length > 0 ? [`missing methods: ${missing.join(', ')}`] : []),
    ...texts.filter((text) => typeof Reflect.get(made, text) !== 'string').map((text) => `${text} must be a text`),
    ...(saysSimulated && typeof Reflect.get(made, 'simulated') !== 'boolean' ? ['simulated must be true or false'] : []),
    ...(faults?.(made) ?? []),
  ]
}
