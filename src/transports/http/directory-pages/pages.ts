import type { Part } from '../../../domain/html.ts'
import type { Body } from './read.ts'
import { textAt } from './read.ts'
import { agentPage, publisherPage, supplyPathPage, validationPage } from './views.ts'

/** A page over one operation of the registry. */
export interface DirectoryPage {
  readonly operation: string
  /** Parameters of the query that become arguments; the first ones that are required decide whether there is a question yet. */
  readonly parameters: readonly string[]
  readonly required: readonly string[]
  readonly title: (asked: Body) => string
  /** `body` is undefined where nothing has been asked yet. */
  readonly view: (body: Body | undefined, asked: Body) => Part
}

/** Pages by the last part of their path. */
export const DIRECTORY_PAGES: Readonly<Record<string, DirectoryPage>> = {
  agent: {
    operation: 'getAgent',
    parameters: ['agent_url', 'cursor'],
    required: ['agent_url'],
    title: (asked) => textAt(asked, 'agent_url') || 'Agent',
    view: (body) => body && agentPage(body),
  },
  publisher: {
    operation: 'getPublisher',
    parameters: ['domain'],
    required: ['domain'],
    title: (asked) => textAt(asked, 'domain') || 'Publisher',
    view: (body) => body && publisherPage(body),
  },
  validate: {
    operation: 'validatePublisher',
    parameters: ['domain'],
    required: ['domain'],
    title: () => 'Validate an adagents.json',
    view: validationPage,
  },
  'supply-path': {
    operation: 'verifySupplyPath',
    parameters: ['owner_domain', 'host_domain', 'agent_url', 'collection_id'],
    required: ['owner_domain', 'host_domain', 'agent_url'],
    title: () => 'Judge a supply path',
    view: supplyPathPage,
  },
}
