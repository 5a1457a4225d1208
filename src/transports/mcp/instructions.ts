/**
 * What an assistant reads on `initialize` and discovery: the order of work, what the compact tool schemas leave out, and where the
 * sandbox ends.
 *
 * @param sandbox whether the server has the compliance test controller
 * @param releases lines of the protocol that are served
 */
export function instructions(sandbox: boolean, releases: readonly string[]): string {
  return [
    `AdCP sales agent of a publisher (releases ${releases.join(', ')}; any call may name one as adcp_version). Order of work:`,
    '1. get_adcp_capabilities.',
    '2. get_products with buying_mode "brief": the best 8; pagination.cursor for more; refine with product_id, or fields, for more of each.',
    '3. sync_accounts: name the advertiser once (brand.domain, operator, billing). Later calls take account: {account_id} or {brand, operator}.',
    '4. create_media_buy. An order that needs approval answers submitted with a task_id: follow it with get_task_status.',
    '5. list_creative_formats with the format_ids of the product, sync_creatives, and assign them to packages.',
    '6. get_media_buys and get_media_buy_delivery to follow; update_media_buy to change, pause or cancel.',
    'Of AdCP 3.2 also: list_products and buy_products; or request_proposals, refine_proposals and accept_proposal; then control_media_buy.',
    'Tool schemas name every argument, nested ones only where a call needs them; every task also takes context and ext (objects, returned as sent). The full JSON Schemas of requests and responses are resources (resources/list, adcp://contract/…).',
    'Every change takes a new idempotency_key (a UUID); repeat a call that failed to answer with the same key.',
    sandbox
      ? 'This server has a sandbox: principals marked sandbox act on simulated money alone, and their answers say sandbox: true. Any other order is real and costs money.'
      : 'An answer with sandbox: true is about simulated money; any other order is real and costs money.',
  ].join('\n')
}
