/**
 * What a release line and all after it do otherwise than those before, by a name: tasks and presenters ask for the rule, and only the step between two lines
 * (`converters/`) knows which line brought it. Absent: not in this line.
 */
export interface ReleaseRules {
  /** Errors, rows and webhooks of a media buy speak of its health; without it one that has no creatives left is `pending_creatives`. */
  readonly health?: true
  /** Capabilities have the members of the newest lines. */
  readonly fullCapabilities?: true
  /** Rows show the attempts of their webhooks on demand. */
  readonly webhookActivity?: true
  /** Lists say for whom they may be kept. */
  readonly cacheScope?: true
  /** Wholesale lists have versions. */
  readonly feedVersions?: true
  /** A search says on demand why products were left out. */
  readonly searchDiagnostics?: true
  /** A search may become a task, which its answer is followed by. */
  readonly deferredSearches?: true
  /** There is a code for answers from a cache. */
  readonly staleAnswers?: true
  /** Answers list the changes of a media buy that are possible now, with their terms. */
  readonly availableActions?: true
  /** Delivery is asked for by windows. */
  readonly deliveryWindows?: true
  /** Official stories buy proposals that were finalized alone. */
  readonly finalizedPurchases?: true
  /** Creatives are known by the kind of their format, with its limits. */
  readonly formatKinds?: true
  /** A creative may be suspended. */
  readonly suspendedCreatives?: true
  /** A strict upload is refused as a whole, not row by row. */
  readonly strictUploads?: true
  /** Builds of creatives take options. */
  readonly buildOptions?: true
  /** Features of a creative tell what its provenance shows. */
  readonly provenanceObservations?: true
  /** Offerings say who sponsors them. */
  readonly sponsoredContext?: true
  /** The compliance controller is called for an account. */
  readonly controllerAccount?: true
  /** A result that the controller forces has what the seller adds. */
  readonly sellerMembers?: true
  /** An approval binds task, arguments and amount, and its subject is no plan. */
  readonly boundApprovals?: true
  /** get_products may be declined (media-buy/get-products-rejected.json). */
  readonly declinedSearches?: true
  /** Discovery takes targeting: what is ordered, what is chosen later, what the whole media buy is held to. */
  readonly discoveryTargeting?: true
  /** Formats are named by what they are, and their ids are on the way out. */
  readonly formatsByKind?: true
  /** What is spent in a day can be limited. */
  readonly dailyCaps?: true
  /** Bids are written as policies. */
  readonly biddingPolicies?: true
  /** A call that commits money has to be signed. */
  readonly signedSpend?: true
}
