import type { Command } from 'commander'
import type { Act } from '../operator/act.ts'

export interface CommandEntry {
  readonly summary: string
  readonly load: () => Promise<Command>
}

/** A group of commands that is made from its acts. */
async function actGroup(group: string, acts: () => Promise<readonly Act[]>): Promise<Command> {
  const { actsCommand } = await import('./act-command.ts')
  return actsCommand(group, await acts())
}

/** Every command by its name, in the order of the help. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  init: {
    summary: 'create the store; on an existing one it changes nothing',
    load: async () => (await import('./init.ts')).initCommand(),
  },
  serve: {
    summary: 'serve the agent',
    load: async () => (await import('./serve.ts')).serveCommand(),
  },
  try: {
    summary: 'buy something in a sandbox account of a running agent and show every call and its answer',
    load: async () => (await import('./try.ts')).tryCommand(),
  },
  tenants: {
    summary: 'publishers served by this deployment',
    load: () => actGroup('tenants', async () => (await import('../operator/tenants/acts.ts')).tenantActs),
  },
  buyers: {
    summary: 'buyers of a publisher, and the addresses of their public signing keys',
    load: () => actGroup('buyers', async () => (await import('../operator/buyers/acts.ts')).buyerActs),
  },
  keys: {
    summary: 'keys that buyers authenticate with; a token is shown once, only its hash is stored',
    load: () => actGroup('keys', async () => (await import('../operator/keys/acts.ts')).keyActs),
  },
  'admin-keys': {
    summary: 'keys of the admin API (/admin/v1); they mean nothing to /mcp',
    load: () => actGroup('admin-keys', async () => (await import('../operator/admin-keys/acts.ts')).adminKeyActs),
  },
  changes: {
    summary: 'addresses of your own that get every change of a publisher, signed',
    load: () => actGroup('changes', async () => (await import('../operator/changes/acts.ts')).changeActs),
  },
  users: {
    summary: 'user names and passwords (HTTP Basic) of buyers',
    load: () => actGroup('users', async () => (await import('../operator/users/acts.ts')).userActs),
  },
  people: {
    summary: 'people who work in the console',
    load: () => actGroup('people', async () => (await import('../operator/people/acts.ts')).peopleActs),
  },
  notifications: {
    summary: 'notifications to people by mail, Slack or webhook',
    load: () => actGroup('notifications', async () => (await import('../operator/notifications/acts.ts')).notificationActs),
  },
  checks: {
    summary: 'checks of this agent by itself: which promises of the protocol it held and broke',
    load: () => actGroup('checks', async () => (await import('../operator/seller-checks/acts.ts')).checkActs),
  },
  certificates: {
    summary: 'client certificates: which of their names belongs to which buyer (needs tls.clientCa)',
    load: async () => (await import('./certificates.ts')).certificatesCommand(),
  },
  'jwt-issuers': {
    summary: 'authorization servers whose JWTs are accepted as Bearer tokens',
    load: () => actGroup('jwt-issuers', async () => (await import('../operator/jwt-issuers/acts.ts')).jwtIssuerActs),
  },
  secrets: {
    summary: "rotation of the deployment's secret, under which everything else is encrypted",
    load: async () => (await import('./secrets.ts')).secretsCommand(),
  },
  oauth: {
    summary: 'assistants that people connected by logging in',
    load: () => actGroup('oauth', async () => (await import('../operator/oauth/acts.ts')).oauthActs),
  },
  identity: {
    summary: 'this agent’s own signing keys, brand.json entry and adagents.json',
    load: () => actGroup('identity', async () => (await import('../operator/identity/acts.ts')).identityActs),
  },
  accounts: {
    summary: 'accounts of buyers, and what each buyer may do with them',
    load: () => actGroup('accounts', async () => (await import('../operator/accounts/acts.ts')).accountActs),
  },
  products: {
    summary: 'the products of a publisher',
    load: async () => (await import('./products.ts')).productsCommand(),
  },
  signals: {
    summary: 'the signals (audiences, context) that a publisher offers',
    load: () => actGroup('signals', async () => (await import('../operator/signals/acts.ts')).signalActs),
  },
  brands: {
    summary: 'brands, rights in them and what they offer in conversations',
    load: async () => (await import('./brands.ts')).brandsCommand(),
  },
  rights: {
    summary: 'grants of rights, and decisions that wait for the rights holder',
    load: () => actGroup('rights', async () => (await import('../operator/rights/acts.ts')).rightsActs),
  },
  sessions: {
    summary: 'sponsored conversations',
    load: () => actGroup('sessions', async () => (await import('../operator/privacy/acts.ts')).sessionActs),
  },
  orders: {
    summary: 'orders of every origin: list, pacing, pause, resume, extend, cancel',
    load: () => actGroup('orders', async () => (await import('../operator/order-list/acts.ts')).orderActs),
  },
  delivery: {
    summary: 'what was delivered and spent',
    load: () => actGroup('delivery', async () => (await import('../operator/reports/acts.ts')).deliveryActs),
  },
  reports: {
    summary: 'delivery reports that are saved under a name, and what buyers say of theirs',
    load: () =>
      actGroup('reports', async () => {
        const { savedReportActs, statementActs } = await import('../operator/reports/acts.ts')
        return [...savedReportActs, ...statementActs]
      }),
  },
  revenue: {
    summary: 'what was earned in a range of days of the publisher, beside as many days before',
    load: async () => {
      const { actCommand } = await import('./act-command.ts')
      return actCommand((await import('../operator/reports/revenue.ts')).showRevenue)
    },
  },
  placements: {
    summary: 'places of your pages in the embedded ad server: size, dates, targeting, caps, tags',
    load: () => actGroup('placements', async () => (await import('../operator/placements/acts.ts')).placementActs),
  },
  'direct-orders': {
    summary: 'orders that your people sold, and house ads, in the embedded ad server',
    load: () => actGroup('direct-orders', async () => (await import('../operator/direct-orders/acts.ts')).directOrderActs),
  },
  'adopted-orders': {
    summary: 'orders that people booked in an ad server, taken into the book',
    load: () => actGroup('adopted-orders', async () => (await import('../operator/adopted-orders/acts.ts')).adoptedOrderActs),
  },
  'make-goods': {
    summary: 'what is offered for lines that ended below what was ordered',
    load: () => actGroup('make-goods', async () => (await import('../operator/make-goods/acts.ts')).makeGoodActs),
  },
  billing: {
    summary: 'close months, one invoice for each account and month',
    load: () => actGroup('billing', async () => (await import('../operator/billing/acts.ts')).billingActs),
  },
  adservers: {
    summary: 'ad servers of a publisher: set-up, inventory, orders, changes made there, delivery',
    load: async () => (await import('./adservers.ts')).adserversCommand(),
  },
  approvals: {
    summary: 'orders, changes, creatives and accounts that wait for your approval',
    load: () => actGroup('approvals', async () => (await import('../operator/approvals/acts.ts')).approvalActs),
  },
  governance: {
    summary: 'actions under campaign plans that wait for a person',
    load: () => actGroup('governance', async () => (await import('../operator/governance/acts.ts')).governanceActs),
  },
  creatives: {
    summary: 'creatives of your buyers and their review',
    load: async () => (await import('./creatives.ts')).creativesCommand(),
  },
  formats: {
    summary: "a publisher's own creative formats",
    load: () => actGroup('formats', async () => (await import('../operator/formats/acts.ts')).formatActs),
  },
  webhooks: {
    summary: 'notifications to buyers: sent, pending and given up',
    load: async () => (await import('./webhooks.ts')).webhooksCommand(),
  },
  privacy: {
    summary: 'personal data: identifiers of audiences and events of people',
    load: () => actGroup('privacy', async () => (await import('../operator/privacy/acts.ts')).privacyActs),
  },
  'trusted-match': {
    summary: 'Trusted Match (experimental in AdCP): the router of a publisher, and a provider',
    load: async () => (await import('./trusted-match.ts')).trustedMatchCommand(),
  },
  directory: {
    summary: 'the directory of publishers and the agents they authorise',
    load: async () => (await import('./directory.ts')).directoryCommand(),
  },
  registry: {
    summary: 'the registry of agents that this deployment keeps',
    load: () => actGroup('registry', async () => (await import('../operator/registry/acts.ts')).registryActs),
  },
  adagents: {
    summary: 'the adagents.json of a publisher: make it, check one, compare with what is served',
    load: async () => (await import('./adagents.ts')).adagentsCommand(),
  },
  verify: {
    summary: 'ask a publisher whether it authorises an agent',
    load: async () => (await import('./verify.ts')).verifyCommand(),
  },
  audit: {
    summary: 'the append-only log of calls that changed something or were refused, and of what operators changed',
    load: async () => (await import('./audit.ts')).auditCommand(),
  },
  doctor: {
    summary: 'look at an agent from outside as buyers do, link by link, and say what is wrong',
    load: async () => (await import('./doctor.ts')).doctorCommand(),
  },
  'verify-seller': {
    summary: 'check what AdCP sellers promise, on sandbox accounts, and write a signed report',
    load: async () => (await import('./verify-seller.ts')).verifySellerCommand(),
  },
  protocol: {
    summary: 'the releases of AdCP that the agent speaks',
    load: async () => (await import('./protocol.ts')).protocolCommand(),
  },
  config: {
    summary: 'the configuration file',
    load: async () => (await import('./config.ts')).configCommand(),
  },
  store: {
    summary: 'the whole store: carry it over from an earlier version',
    load: async () => (await import('./store-commands.ts')).storeCommand(),
  },
  migrate: {
    summary: 'bring the schema of the store up to date; several at once do it once',
    load: async () => (await import('./migrate.ts')).migrateCommand(),
  },
  copy: {
    summary: 'copy a whole store into an empty one, and compare every table; stop the servers on it first',
    load: async () => (await import('./copy.ts')).copyCommand(),
  },
  backup: {
    summary: 'write a consistent copy of the whole store to one file; servers may run',
    load: async () => (await import('./backup.ts')).backupCommand(),
  },
  restore: {
    summary: 'make the store from a backup; what exists already is not overwritten',
    load: async () => (await import('./backup.ts')).restoreCommand(),
  },
}
