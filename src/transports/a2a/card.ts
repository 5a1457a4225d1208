import type { AgentCard, SecurityScheme } from 'a2a'
import type { Task } from '../../pipeline/task.ts'
import type { Contracts } from '../../protocol/contracts.ts'

export interface CardOptions {
  /** Address of the JSON-RPC endpoint. */
  readonly url: string
  /** Of this package. */
  readonly version: string
  /** The releases that the publisher offers. */
  readonly contracts: Contracts
  /** The ones that a reader of the card may see. */
  readonly tasks: readonly Task[]
}

const JSON_MODE = ['application/json']

/**
 * The agent card (A2A 1.0 §4.4): one skill a task, under the task's own name, which is how a message asks for it. Credentials go into
 * `Authorization` as Bearer or Basic and nowhere else; what is public can be asked without.
 */
export function agentCard({ url, version, contracts, tasks }: CardOptions): AgentCard {
  return {
    name: 'AdCP sales agent',
    description: `Sells advertising over the Ad Context Protocol (AdCP ${contracts.lines.join(', ')}). Send one data part {"skill": "<task>", "parameters": {…}}; start with get_adcp_capabilities.`,
    version,
    provider: undefined,
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
      tenant: '',
    })),
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true, extensions: [] },
    securitySchemes: {
      bearerAuth: http('Bearer', 'A key that the publisher gave your agent, or a token that it accepts.'),
      basicAuth: http('Basic', 'A user name and password that the publisher gave your agent.'),
    },
    securityRequirements: ['bearerAuth', 'basicAuth'].map((name) => ({ schemes: { [name]: { list: [] } } })),
    defaultInputModes: JSON_MODE,
    defaultOutputModes: JSON_MODE,
    skills: tasks.map(({ name, summary }) => ({
      id: name,
      name,
      description: summary,
      tags: ['adcp', contracts.having(name).at(0)?.manifest.tools[name]?.protocol ?? 'core'],
      examples: [],
      inputModes: JSON_MODE,
      outputModes: JSON_MODE,
      securityRequirements: [],
    })),
    signatures: [],
  }
}

function http(scheme: string, description: string): SecurityScheme {
  return { scheme: { $case: 'httpAuthSecurityScheme', value: { scheme, description, bearerFormat: '' } } }
}

/** The same card as clients of A2A 0.3 read it (A2A 0.3 §5.5); it names the interfaces of 1.0 too. */
export function legacyCard(card: AgentCard): object {
  const { name, description, version, supportedInterfaces, defaultInputModes, defaultOutputModes } = card
  const own = supportedInterfaces.find(({ protocolVersion }) => protocolVersion === '0.3')
  return {
    protocolVersion: '0.3.0',
    name,
    description,
    version,
    url: own?.url,
    preferredTransport: 'JSONRPC',
    capabilities: { streaming: true, pushNotifications: true },
    supportsAuthenticatedExtendedCard: true,
    securitySchemes: Object.fromEntries(
      Object.entries(card.securitySchemes).flatMap(([id, { scheme }]) =>
        scheme?.$case === 'httpAuthSecurityScheme'
          ? [[id, { type: 'http', scheme: scheme.value.scheme.toLowerCase(), description: scheme.value.description }]]
          : [],
      ),
    ),
    security: card.securityRequirements.map(({ schemes }) =>
      Object.fromEntries(Object.entries(schemes).map(([id, { list }]) => [id, list])),
    ),
    defaultInputModes,
    defaultOutputModes,
    skills: card.skills.map(({ id, name, description, tags, inputModes, outputModes }) => ({
      id,
      name,
      description,
      tags,
      inputModes,
      outputModes,
    })),
    supportedInterfaces,
  }
}
