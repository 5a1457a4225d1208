import type { RawBuilder } from 'kysely'
import { HOUSE_RULES } from './inspect-rules-house.ts'
import { RUNNING_RULES } from './inspect-rules-running.ts'
import { SELLING_RULES } from './inspect-rules-selling.ts'

/** What every row of a table keeps to, and no constraint of the schema states. */
export interface StoreRule {
  readonly table: string
  readonly rule: string
  /** Gives the key of each row that breaks the rule. One statement, so that a running server does not make it wrong. */
  readonly broken: RawBuilder<{ key: string }>
}

/** Rules of single tables, in portable SQL. */
export const RULES: readonly StoreRule[] = [...SELLING_RULES, ...HOUSE_RULES, ...RUNNING_RULES]

const OF_ITS_TENANT = 'says nothing that another row has to agree with: it belongs to a tenant or an agent that exists'
const PARTS = 'the schema refers each row to what it is part of'
const FORGETS = 'a memory of its own that forgets: no row depends on another'

/**
 * Tables without a rule of their own, each with the reason. Those that name a tenant, an agent, an account, a media buy or a package are still held
 * to what they name, and the schema holds foreign keys. A new table gets a rule, or is listed here.
 */
export const WITHOUT_RULES: Readonly<Record<string, string>> = {
  account_governance_agents: OF_ITS_TENANT,
  account_grants: PARTS,
  account_payments: PARTS,
  accounts: OF_ITS_TENANT,
  ad_server_credentials: 'names an ad server of the configuration, which may leave it out for a time',
  ad_server_changes: 'changes of buyers that wait; what is named by them may be over',
  ad_server_ids: 'what an ad server calls what we named; stays when the order is over',
  manual_orders: OF_ITS_TENANT,
  manual_delivery: OF_ITS_TENANT,
  admin_keys: PARTS,
  order_notes: OF_ITS_TENANT,
  admin_requests: PARTS,
  agent_key_sources: PARTS,
  api_keys: PARTS,
  approval_holds: 'names a task that begins later, when the order that it holds comes',
  sandbox_outages: 'is about answers to come',
  lasting_keys: 'keys by their purpose: no row depends on another',
  secret_holders: 'what processes outside the store said last',
  secret_rotations: 'names secrets that are outside the store',
  stored_upgrades: 'names what was done, and nothing in the store',
  sandbox_directives: 'names a task that begins later, when the call that it answers comes',
  audience_identifiers: PARTS,
  audience_members: PARTS,
  audiences: OF_ITS_TENANT,
  audit_entries: 'is pending to be chained; it is complete in itself',
  auth_trust: FORGETS,
  basic_users: PARTS,
  user_principals: PARTS,
  tenant_ad_servers: OF_ITS_TENANT,
  billing_months: PARTS,
  invoice_lines: PARTS,
  invoices: 'stay as they were written, whatever became of the account',
  brand_revisions: OF_ITS_TENANT,
  brands: OF_ITS_TENANT,
  catalog_items: PARTS,
  publisher_inventory: OF_ITS_TENANT,
  client_certificates: PARTS,
  content_standards_scopes: PARTS,
  content_standards_versions: PARTS,
  conversation_offerings: OF_ITS_TENANT,
  conversions: 'names the event that it counts, which retention may have erased since',
  creative_assignments: 'may name a creative that was removed or does not exist yet',
  creatives: OF_ITS_TENANT,
  creative_tombstones: 'what is left of a creative that is gone',
  custom_formats: OF_ITS_TENANT,
  directory_agents: 'a page of the index: agents stay known when no file names them any more',
  directory_attempts: 'what was tried when: stays as it was written',
  directory_documents: 'a file as it was fetched, or is to be fetched',
  directory_exclusions: 'a domain that is not to be crawled, whether or not the index knows it',
  directory_identifiers: 'what a file declared when it was read last',
  directory_mirror_rows: 'what another directory says; rows of imports that did not end are dropped by the next',
  directory_mirrors: 'another directory, by its address',
  event_identifiers: PARTS,
  event_sources: OF_ITS_TENANT,
  events: PARTS,
  feed_subscribers: 'an address outside the store, and its place in the feed',
  governance_plan_members: 'a portfolio may name plans that come later',
  governance_plan_versions: PARTS,
  delivery_zones: OF_ITS_TENANT,
  governance_tokens: OF_ITS_TENANT,
  house_creatives: OF_ITS_TENANT,
  house_exposures: FORGETS,
  house_files: OF_ITS_TENANT,
  house_file_uses: 'names a file or a bundle for a creative; one that is not used any more is dropped with them',
  house_lists: OF_ITS_TENANT,
  house_orders: OF_ITS_TENANT,
  house_versions: OF_ITS_TENANT,
  inventory_lists: OF_ITS_TENANT,
  jwt_issuers: PARTS,
  jwt_subjects: PARTS,
  match_caps: 'holds back a package that may be over',
  match_exposures: FORGETS,
  match_keys: OF_ITS_TENANT,
  match_nonces: FORGETS,
  match_packages: 'what a seller synced of orders that are elsewhere',
  match_providers: OF_ITS_TENANT,
  oauth_records: 'records of a certified library, found by hash; they expire by themselves',
  performance_feedback: OF_ITS_TENANT,
  notification_channels: PARTS,
  notification_conditions: FORGETS,
  notification_items: 'notifications to a person, who may have left since',
  notification_outbox: 'messages as they were written: the person may have left since',
  people: 'people of the publisher: they refer to nothing',
  person_invitations: FORGETS,
  person_roles: PARTS,
  person_sessions: PARTS,
  previews: FORGETS,
  principals: OF_ITS_TENANT,
  products: OF_ITS_TENANT,
  proposals: OF_ITS_TENANT,
  rate_limits: FORGETS,
  registry_agents: 'an agent as it was last seen; its facets refer to it',
  registry_crawl_requests: 'the last request for a domain, whether it is known or not',
  registry_entries: 'what an identity saved of a domain, whether that exists or not',
  registry_feed: 'two counters; the events are held against them',
  revoked_agent_keys: 'keys of others that count no longer, whether they were seen or not',
  rights_grants: 'of an offering that may have been withdrawn since',
  rights_offerings: OF_ITS_TENANT,
  seeded_formats: OF_ITS_TENANT,
  si_offering_tokens: FORGETS,
  signal_revisions: OF_ITS_TENANT,
  signal_deployments: 'of a signal that its source may have dropped, or never stored here',
  signals: OF_ITS_TENANT,
  spend_approvals: 'of a plan that another agent may store',
  used_governance_tokens: FORGETS,
  webhook_attempts: FORGETS,
  webhook_breakers: FORGETS,
  webhook_endpoints: OF_ITS_TENANT,
}
