import type { AdServers } from '../ad-serving/ad-servers.ts'
import type { AdServerBackend } from '../ad-serving/backend.ts'
import type { BackendSetup, SettingsObject } from '../ad-serving/backend-setup.ts'
import type { PreviewTokens } from '../ad-serving/embedded/preview-tokens.ts'
import type { Config } from '../config/config.ts'
import type { AdminRole } from '../domain/identity/admin-role.ts'
import type { BrandRegistry } from '../features/brands/brand-registry.ts'
import type { SendNotification } from '../features/notifications/send-notification.ts'
import type { SafeFetch } from '../platform/net/safe-fetch.ts'
import type { Schemas } from '../protocol/schemas.ts'
import type { DeploymentSecrets, GivenSecrets } from '../security/secrets/deployment-secrets.ts'
import type { Pseudonyms } from '../security/secrets/pseudonyms.ts'
import type { SecretBox } from '../security/secrets/secret-box.ts'
import type { Store } from '../store/database.ts'
import type { ApprovalServices } from '../tasks/approvals/carry-out.ts'
import type { DecisionLinks } from './notifications/decision-links.ts'

/** Who acts for the publisher, as the audit log names them. */
export interface Actor {
  /** `operator` for the command line and for keys of the admin API, `person:` and the user name for the console, `policy` for what is done without a person. */
  readonly who: string
  /** How they proved who they are: `os:trafficker` for an account of the operating system, `admin:` and the id of a key of the admin API, `console:` and the user name for the console. */
  readonly credential: string
  /** `policy`: what the publisher decided beforehand. */
  readonly transport: 'cli' | 'console' | 'admin' | 'policy'
}

/** Who acts, as the admin API, the console or the command line found out, and for which publisher. */
export interface Caller {
  readonly actor: Actor
  readonly tenantId: string
  readonly role: AdminRole
  /** Whether they may act on the whole deployment. */
  readonly deployment: boolean
}

/** What every act of the publisher's people works with; `compose/operator.ts` makes it. */
export interface OperatorContext {
  readonly store: Store
  readonly config: Config
  readonly schemas: Schemas
  readonly clock: () => Date
  readonly actor: Actor
  readonly services: OperatorServices
  /** Takes what a long act is at, in words, as often as it moves on; absent: it is not shown. */
  readonly progress?: ((text: string) => void) | undefined
}

/**
 * What only some acts need, made when it is asked for. Each takes the store that its changes go through, so that the audit entry of the act is written with
 * them (see `auditedStore`).
 */
export interface OperatorServices {
  /** Throws ConfigError when the configuration names an ad server that cannot be loaded. */
  approvals(store: Store): Promise<ApprovalServices>
  /** Throws ConfigError when the configuration names an ad server that cannot be loaded. */
  adServers(): Promise<AdServers>
  /** The publisher's own systems of the configuration, loaded. Throws ConfigError for one that cannot be. */
  connections(): Promise<readonly Connected[]>
  /** What ad servers of the built-in types are set up with. */
  builtInAdServers(): Promise<BuiltInAdServerParts>
  brands(store: Store): Promise<BrandRegistry>
  /** Encrypts the deployment's private keys. */
  signingKeyBox(): Promise<SecretBox>
  /** Encrypts the secrets of webhooks, and the queries of their addresses. */
  webhookBox(): Promise<SecretBox>
  /** Encrypts the keys of routers of Trusted Match, and those that packages are synced with. */
  matchBox(): Promise<SecretBox>
  /** Encrypts answers that are stored for repeated idempotency keys: some hold a new key or password. */
  answerBox(): Promise<SecretBox>
  /** Encrypts clients, grants and token keys of the authorization server. */
  oauthBox(): Promise<SecretBox>
  /** Encrypts the secrets of people's authenticator apps, and what a page of theirs is sealed with until it is confirmed. */
  factorBox(): Promise<SecretBox>
  /** `box` encrypts the addresses that people gave for notifications; `send` sends one. */
  notifications(): Promise<{ readonly box: SecretBox; readonly send: SendNotification }>
  /** Reads addresses that others gave: https only, never into the network of this server. */
  safeFetch(): Promise<SafeFetch>
  /** Runs a look at the addresses of a creative, few at a time: each holds some large answers. Rejects with RATE_LIMITED when too many wait. */
  examination<T>(look: () => Promise<T>): Promise<T>
  /** Signs links that preview creatives. */
  previewTokens(): Promise<PreviewTokens>
  /** Seals links of messages to pages where decisions are made. */
  decisionLinks(): Promise<DecisionLinks>
  /** Makes what identifiers of people are stored as. */
  pseudonyms(): Promise<Pseudonyms>
  /** The deployment's secrets, those that come from the environment, and the file that holds the others. */
  secrets(): { readonly held: DeploymentSecrets; readonly given: GivenSecrets; readonly file: string }
}

/** A system of the publisher's own that takes the place of a built-in one. */
export interface Connected {
  /** Member of `connect` in the configuration. */
  readonly setting: string
  /** What the module calls it. */
  readonly name: string
}

/** The built-in types of ad servers, and what sets one up. */
export interface BuiltInAdServerParts {
  readonly types: readonly string[]
  /** The ad servers that the configuration has for a publisher, whatever their type. */
  configured(tenantId: string): readonly { readonly name: string; readonly type: string; readonly options: SettingsObject }[]
  /** Encrypts credentials of an ad server of a publisher. */
  seal(credentials: SettingsObject, tenantId: string, name: string): string
  /** Makes an ad server, to try options and credentials out; undefined: no such type. Throws CONFIGURATION_ERROR for wrong options. */
  make(type: string, setup: Pick<BackendSetup, 'name' | 'tenantId' | 'options' | 'credentials'>): AdServerBackend | undefined
}
