import { startReleaseAgent } from './release-agent.ts'

const OFFERING = {
  snapshot: 'delivery-daily-snapshot',
  official: 'delivery-daily-official',
  files: 'delivery-daily-files-csv',
  billing: 'delivery-daily-billing-jsonl',
} as const
/** Where the files of the agent of these tests are. */
const FILES = 'https://seller.example/reporting/files/'

/** A buyer on 3.2 with one order from 17 March to 20 April 2026, whose reports nobody has asked for yet; it is 16 March, noon. */
export async function startReportedAccount() {
  let now = Date.parse('2026-03-16T12:00:00Z')
  const agent = await startReleaseAgent({
    ...{ conformance: false, sandbox: true, clock: () => new Date(now) },
    flags: { publicUrl: 'https://seller.example', mode: 'development' },
  })
  const ask = async (task: string, args: object = {}) => {
    now += 1_000
    return agent.buyer.call(task, { adcp_version: '3.2', idempotency_key: `reports-${crypto.randomUUID()}`, ...args })
  }
  const { data } = await ask('list_accounts')
  const [{ account_id, brand }] = data.accounts as [{ account_id: string; brand: object }]
  const capability: { offerings: Record<string, unknown>[]; [name: string]: unknown } = (await ask('get_adcp_capabilities')).data
    .media_buy.reporting_delivery
  const made = await ask('create_media_buy', {
    ...{ account: { account_id }, brand },
    start_time: '2026-03-17T00:00:00Z',
    end_time: '2026-04-20T00:00:00Z',
    packages: [{ product_id: 'news_outstream', pricing_option_id: 'cpv_usd_auction', budget: 3_000, bid_price: 0.02 }],
  })
  const { media_buy_id } = made.data as { media_buy_id: string }
  if (media_buy_id === undefined) throw new Error(JSON.stringify(made.data))
  return {
    ...{ agent, account_id, media_buy_id, capability, ask },
    now: () => now,
    goTo: (moment: number) => {
      now = moment
    },
    status: async (view: string, more: object = {}) =>
      (await ask('get_reporting_status', { account: { account_id }, view, ...more })).data,
    /** One of the offerings as it is configured. */
    config: (kind: keyof typeof OFFERING, more: object = {}) => {
      const offering = capability.offerings.find(({ offering_id: id }) => id === OFFERING[kind])
      if (!offering) throw new Error(`${OFFERING[kind]} is not offered`)
      const { offering_id, feed_purpose, report_definition_id, reporting_profile, schedule, reconciliation_mode } = offering
      const method = offering.method as { provider: object; destination_modes: unknown; format: string } | undefined
      return {
        delivery_config_id: kind,
        delivery_config_version: 1,
        ...{ offering_id, feed_purpose, report_definition_id, schedule },
        active: true,
        reporting_profile: (reporting_profile as { id: string }).id,
        scope: { all_media_buys: true },
        coverage_requirement: 'full',
        required_finality: (offering.supported_finality as string[])[0],
        reconciliation_mode,
        ...(method && { method: provisioned(method) }),
        ...more,
      }
    },
    configure: async (configs: object[]) =>
      (await ask('sync_accounts', { accounts: [{ account: { account_id }, reporting_delivery_configs: configs }] })).data
        .accounts[0],
  }
}

/** The method of an offering with the place of the files. */
function provisioned({ provider, destination_modes: _modes, ...method }: { provider: object; destination_modes: unknown }) {
  return { ...method, destination: { mode: 'provision', provider, location: FILES } }
}

export type ReportedAccount = Awaited<ReturnType<typeof startReportedAccount>>
