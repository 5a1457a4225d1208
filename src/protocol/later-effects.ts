// What becomes of members that came with a later release than a call's: which are carried out, and which are refused since dropping them would cost money.

/**
 * Members of later releases that limit, time, choose or pause what is spent or shown, and that this agent does not carry out: dropping one would spend what the
 * buyer did not want to spend, show an item that the buyer took back, or serve a creative otherwise than it is meant (other files, locales, order, rights, places). `core/targeting.json` is not here: what a product cannot be targeted by is refused with the product.
 */
export const SPENDING_LIMITS: Readonly<Record<string, readonly string[]>> = {
  'core/creative-asset.json#': ['component_assets', 'localization', 'placement_refs', 'rights'],
  'core/creative-assignment.json#': ['group_id', 'placement_refs', 'sequence_position'],
  'media-buy/accept-proposal-request.json#': ['budget_cap_timezone'],
  'media-buy/create-media-buy-request.json#': [
    'bidding',
    'budget_allocation',
    'budget_cap_timezone',
    'daily_budget_cap',
    'frequency_cap',
    'pacing',
  ],
  'media-buy/update-media-buy-request.json#': [
    'bidding',
    'budget_allocation',
    'budget_cap_timezone',
    'daily_budget_cap',
    'frequency_cap',
    'pacing',
    'total_budget',
  ],
  'media-buy/package-request.json#': ['bidding', 'daily_budget_cap', 'min_spend_target'],
  'media-buy/package-update.json#': ['bidding', 'daily_budget_cap', 'min_spend_target'],
  'media-buy/sync-catalogs-request.json#': ['item_availability_queries', 'item_availability_updates'],
  'governance/sync-plans-request.json#plans.budget': ['accounting_mode'],
}

/** What to do about a limit that is not supported where a later release names it: what has its effect, or what there is in its place. */
export const LIMIT_INSTEAD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...Object.fromEntries(
    ['media-buy/create-media-buy-request.json#', 'media-buy/update-media-buy-request.json#'].map((place) => [
      place,
      {
        bidding: 'send packages[].bid_price',
        budget_allocation: 'send {"mode": "fixed"} or leave it out: each package has a budget of its own',
        budget_cap_timezone: 'leave it out: days of caps are those of UTC',
        frequency_cap: 'send packages[].targeting_overlay.frequency_cap',
        pacing: 'send packages[].pacing',
      },
    ]),
  ),
  ...Object.fromEntries(
    ['media-buy/package-request.json#', 'media-buy/package-update.json#'].map((place) => [
      place,
      { bidding: 'send packages[].bid_price, the amount alone' },
    ]),
  ),
}

/** Values of these limits that ask for what is done without them. */
export const KEPT_ANYWAY: Readonly<Record<string, unknown>> = { budget_allocation: { mode: 'fixed' } }

/** Members of later releases that the tasks here carry out, whatever the release of the call. */
export const APPLIED_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  'account/list-accounts-request.json#': ['account'],
  'account/sync-accounts-request.json#accounts': ['account', 'currency', 'notification_configs', 'operator_unit', 'timezone'],
  // What trackers of 3.1 are called at, beside the URL assets that 3.0 has for them.
  'core/assets/url-asset.json#': ['custom_event_name', 'tracker_event'],
  'core/creative-asset.json#': ['format_kind', 'format_option_ref'],
  'core/creative-manifest.json#': ['format_kind', 'format_option_ref'],
  'core/product-filters.json#': [
    'audience_activation_methods',
    'audience_evidence_requirements',
    'audio_distribution_types',
    'format_kinds',
    'format_option_refs',
    'pricing_currencies',
    'pricing_structures',
    'required_metrics',
    'required_vendor_metrics',
    'social_placement_surfaces',
    'sponsored_placement_types',
    'video_placement_types',
  ],
  'core/provenance.json#': ['embedded_provenance', 'watermarks'],
  'core/targeting.json#': ['signal_targeting_groups'],
  'core/tasks-get-request.json#': ['account', 'include_result'],
  'core/tasks-list-request.json#': ['account'],
  'creative/sync-creatives-request.json#': ['assignment_operations'],
  'creative/list-creatives-request.json#': ['include_purged'],
  // `output_format` in the words of a story of 3.1.
  'creative/preview-creative-request.json#': ['format'],
  'media-buy/build-creative-request.json#': [
    'config',
    'keep_mode',
    'max_creatives',
    'max_spend',
    'max_variants',
    'mode',
    'refine_from_build_variant_id',
    'signal_conditions',
    'target_capability_id',
    'target_capability_ids',
    'transformer_id',
    'variant_axis',
  ],
  // Of creative/list-creative-formats-request.json of 3.0, which no release has as the request of the seller's task.
  'media-buy/list-creative-formats-request.json#': ['type'],
  'media-buy/create-media-buy-request.json#': ['name', 'paused'],
  'media-buy/package-request.json#': ['committed_metrics', 'format_kind', 'format_option_refs', 'params'],
  'media-buy/update-media-buy-request.json#': ['name'],
  'signals/get-signals-request.json#': ['discovery_mode', 'if_wholesale_feed_version'],
}

/** Members of later releases that the tasks carry out for calls of a release that has them, and for no others. */
export const APPLIED_WHERE_NAMED: Readonly<Record<string, readonly string[]>> = {
  'creative/list-creatives-request.json#': ['include_webhook_activity', 'webhook_activity_limit'],
  'account/sync-accounts-request.json#accounts': ['reporting_delivery_configs'],
  'media-buy/get-media-buy-delivery-request.json#': [
    'include_window_breakdown',
    'pagination',
    'reporting_revision_id',
    'time_granularity',
  ],
  'media-buy/get-media-buys-request.json#': ['include_webhook_activity', 'webhook_activity_limit'],
  'media-buy/create-media-buy-request.json#': ['bidding', 'daily_budget_cap'],
  'media-buy/package-request.json#': ['bidding', 'daily_budget_cap'],
  'media-buy/package-update.json#': ['bidding', 'daily_budget_cap'],
  'media-buy/update-media-buy-request.json#': ['bidding', 'daily_budget_cap', 'total_budget'],
  'media-buy/get-products-request.json#': [
    'if_wholesale_feed_version',
    'media_buy_frequency_cap',
    'required_media_buy_support',
    'required_overlay_support',
    'targeting_overlay',
  ],
}
