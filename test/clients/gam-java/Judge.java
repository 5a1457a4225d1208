import com.google.api.ads.admanager.axis.v202508.*;
import com.google.api.ads.admanager.axis.v202508.Date;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.lang.reflect.Array;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.xml.namespace.QName;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.axis.client.Stub;
import org.apache.axis.description.*;
import org.apache.axis.message.SOAPHeaderElement;
import org.w3c.dom.*;

/**
 * Google's generated stubs as a judge. "decode FILE…": each file is an envelope of a request; its elements are decoded by the stubs, which know no others, and have to come
 * in the order of the schema. Prints a line for each element. "client URL NETWORK LINE ADVERTISER": writes, associates and reads a creative at that address.
 */
public class Judge {
  static final String NAMESPACE = "https://www.google.com/apis/ads/publisher/v202508";

  public static void main(String[] args) throws Exception {
    if (args[0].equals("decode")) {
      for (String file : Arrays.asList(args).subList(1, args.length)) decode(Files.readAllBytes(Paths.get(file)));
      System.exit(0);
    }
    client(args[1], args[2], Long.parseLong(args[3]), Long.parseLong(args[4]));
    System.exit(0);
  }

  /** What the request gives is answered to the same call, so that the stub decodes it as its result. */
  static void decode(byte[] envelope) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    Document document = factory.newDocumentBuilder().parse(new ByteArrayInputStream(envelope));
    Element method = firstElement((Element) document.getElementsByTagNameNS("http://schemas.xmlsoap.org/soap/envelope/", "Body").item(0));
    String name = method.getLocalName();
    boolean isForecast = name.equals("getAvailabilityForecast");
    if (!isForecast && (name.startsWith("get") || name.startsWith("perform"))) {
      System.out.println(name + " " + firstText(method, "query"));
      return;
    }
    String member = firstElement(method).getLocalName();
    String request = new String(envelope, StandardCharsets.UTF_8).replaceFirst("(?s)<soap:Header>.*</soap:Header>", "");
    // The line of a forecast is answered as one that was made.
    String answer = isForecast
        ? request
            .replaceFirst("(<)getAvailabilityForecast( [^>]*>)<lineItem><lineItem>", "$1createLineItemsResponse$2<rval>")
            .replaceFirst("(?s)</lineItem></lineItem>.*</getAvailabilityForecast>", "</rval></createLineItemsResponse>")
        : request
        .replaceAll("(</?)" + name + "([ >])", "$1" + name + "Response$2")
        .replaceAll("(</?)" + member + "([ >])", "$1rval$2");
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", exchange -> {
      exchange.getRequestBody().readAllBytes();
      byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("content-type", "text/xml; charset=utf-8");
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    });
    server.start();
    URL url = new URL("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    Object[] decoded = isForecast
        ? new LineItemServiceLocator().getLineItemServiceInterfacePort(url).createLineItems(new LineItem[0])
        : name.equals("updateLineItems")
        ? new LineItemServiceLocator().getLineItemServiceInterfacePort(url).updateLineItems(new LineItem[0])
        : name.endsWith("Creatives")
        ? new CreativeServiceLocator().getCreativeServiceInterfacePort(url).createCreatives(new Creative[0])
        : new LineItemCreativeAssociationServiceLocator().getLineItemCreativeAssociationServiceInterfacePort(url).createLineItemCreativeAssociations(new LineItemCreativeAssociation[0]);
    server.stop(0);
    List<Element> sent = isForecast ? childElements(firstElement(method)) : childElements(method);
    for (int at = 0; at < sent.size(); at++) requireOrder(sent.get(at), decoded[at]);
    for (Object each : decoded) System.out.println(name + " " + shown(each));
  }

  static void client(String origin, String network, long line, long advertiser) throws Exception {
    URL url = new URL(origin + "/apis/ads/publisher/v202508/CreativeService");
    CreativeServiceInterface creatives = new CreativeServiceLocator().getCreativeServiceInterfacePort(url);
    URL other = new URL(origin + "/apis/ads/publisher/v202508/LineItemCreativeAssociationService");
    LineItemCreativeAssociationServiceInterface associations = new LineItemCreativeAssociationServiceLocator().getLineItemCreativeAssociationServiceInterfacePort(other);
    for (Object stub : new Object[] {creatives, associations}) setHeader((Stub) stub, network);
    ImageRedirectCreative creative = new ImageRedirectCreative();
    creative.setAdvertiserId(advertiser);
    creative.setName("By a person & <Java>");
    creative.setSize(new Size(300, 250, false));
    creative.setDestinationUrl("https://shop.example.com/?a=1&b=2");
    creative.setImageUrl("https://cdn.example.com/b.png");
    Creative made = creatives.createCreatives(new Creative[] {creative})[0];
    System.out.println("made " + shown(made).replace(String.valueOf(made.getId()), "ID"));
    LineItemCreativeAssociation association = new LineItemCreativeAssociation();
    association.setLineItemId(line);
    association.setCreativeId(made.getId());
    System.out.println("associated " + associations.createLineItemCreativeAssociations(new LineItemCreativeAssociation[] {association})[0].getStatus());
    Statement all = new Statement("WHERE lineItemId = " + line + " LIMIT 10", new String_ValueMapEntry[0]);
    System.out.println("read " + associations.getLineItemCreativeAssociationsByStatement(all).getTotalResultSetSize());
    UpdateResult result = associations.performLineItemCreativeAssociationAction(new DeactivateLineItemCreativeAssociations(), new Statement("WHERE lineItemId = " + line + " AND creativeId IN (" + made.getId() + ")", null));
    System.out.println("deactivated " + result.getNumChanges());
    ForecastServiceInterface forecasts = new ForecastServiceLocator().getForecastServiceInterfacePort(new URL(origin + "/apis/ads/publisher/v202508/ForecastService"));
    setHeader((Stub) forecasts, network);
    System.out.println("forecast " + shown(forecasts.getAvailabilityForecast(prospective(), new AvailabilityForecastOptions())));
    hours(new URL(origin + "/apis/ads/publisher/v202508/LineItemService"), network, line);
    creative.setAdvertiserId(99999L);
    try {
      creatives.createCreatives(new Creative[] {creative});
      System.out.println("not refused");
    } catch (ApiException refused) {
      System.out.println("refused " + refused.getErrors(0).getErrorString() + " " + refused.getErrors(0).getFieldPath());
    }
  }

  /** A person reads a line, gives it other hours and writes it whole. */
  static void hours(URL url, String network, long id) throws Exception {
    LineItemServiceInterface lines = new LineItemServiceLocator().getLineItemServiceInterfacePort(url);
    setHeader((Stub) lines, network);
    Statement one = new Statement("WHERE id = " + id + " LIMIT 1", new String_ValueMapEntry[0]);
    LineItem line = lines.getLineItemsByStatement(one).getResults(0);
    System.out.println("hours " + shown(line.getTargeting().getDayPartTargeting()));
    DayPart monday = new DayPart(DayOfWeek.MONDAY, new TimeOfDay(8, MinuteOfHour.ZERO), new TimeOfDay(9, MinuteOfHour.THIRTY));
    line.getTargeting().setDayPartTargeting(new DayPartTargeting(new DayPart[] {monday}, DeliveryTimeZone.PUBLISHER));
    System.out.println("given " + shown(lines.updateLineItems(new LineItem[] {line})[0].getTargeting().getDayPartTargeting()));
  }

  /** A guaranteed line of ten days on one ad unit. */
  static ProspectiveLineItem prospective() {
    InventoryTargeting inventory = new InventoryTargeting();
    inventory.setTargetedAdUnits(new AdUnitTargeting[] {new AdUnitTargeting("1", true)});
    Targeting targeting = new Targeting();
    targeting.setInventoryTargeting(inventory);
    CreativePlaceholder place = new CreativePlaceholder();
    place.setSize(new Size(300, 250, false));
    LineItem line = new LineItem();
    line.setStartDateTimeType(StartDateTimeType.USE_START_DATE_TIME);
    line.setStartDateTime(new DateTime(new Date(2026, 10, 1), 0, 0, 0, "Etc/UTC"));
    line.setEndDateTime(new DateTime(new Date(2026, 10, 11), 0, 0, 0, "Etc/UTC"));
    line.setLineItemType(LineItemType.STANDARD);
    line.setCreativePlaceholders(new CreativePlaceholder[] {place});
    line.setPrimaryGoal(new Goal(GoalType.LIFETIME, UnitType.IMPRESSIONS, 1000L));
    line.setTargeting(targeting);
    ProspectiveLineItem prospective = new ProspectiveLineItem();
    prospective.setLineItem(line);
    return prospective;
  }

  static void setHeader(Stub stub, String network) throws Exception {
    SoapRequestHeader header = new SoapRequestHeader();
    header.setNetworkCode(network);
    header.setApplicationName("judge");
    stub.setHeader(new SOAPHeaderElement(NAMESPACE, "RequestHeader", header));
  }

  /** Throws for a child that the type does not have, or that comes before one that the schema has before it; so do the children of children. */
  static void requireOrder(Element element, Object value) throws Exception {
    if (value == null || !value.getClass().getName().startsWith("com.google")) return;
    Class<?> type = value.getClass();
    TypeDesc described = (TypeDesc) type.getMethod("getTypeDesc").invoke(null);
    FieldDesc[] fields = described.getFields(true);
    if (fields == null) return;
    List<String> names = new ArrayList<>();
    for (FieldDesc field : fields) names.add(field.getXmlName().getLocalPart());
    Map<String, Integer> counts = new HashMap<>();
    int last = -1;
    for (Element child : childElements(element)) {
      int at = names.indexOf(child.getLocalName());
      if (at < 0 || at < last) throw new Exception(type.getSimpleName() + ": " + child.getLocalName() + " is out of order, or unknown");
      last = at;
      int count = counts.merge(child.getLocalName(), 1, Integer::sum) - 1;
      String name = fields[at].getFieldName();
      Object member = type.getMethod("get" + Character.toUpperCase(name.charAt(0)) + name.substring(1)).invoke(value);
      boolean isList = member != null && member.getClass().isArray() && !(member instanceof byte[]);
      requireOrder(child, isList ? Array.get(member, count) : member);
    }
  }

  static List<Element> childElements(Element element) {
    List<Element> found = new ArrayList<>();
    for (Node child = element.getFirstChild(); child != null; child = child.getNextSibling()) if (child instanceof Element) found.add((Element) child);
    return found;
  }

  /** Members that are set, sorted by name. */
  static String shown(Object value) throws Exception {
    if (value == null) return "null";
    if (value instanceof byte[]) return ((byte[]) value).length + " bytes";
    if (value.getClass().isArray()) {
      List<String> all = new ArrayList<>();
      for (int at = 0; at < Array.getLength(value); at++) all.add(shown(Array.get(value, at)));
      return all.toString();
    }
    if (!value.getClass().getName().startsWith("com.google") || value.getClass().getSimpleName().equals("Value")) return value.toString();
    try {
      TypeDesc described = (TypeDesc) value.getClass().getMethod("getTypeDesc").invoke(null);
      if (described.getFields(true) == null || described.getFields(true).length == 0) return value.toString();
      TreeMap<String, String> members = new TreeMap<>();
      for (FieldDesc field : described.getFields(true)) {
        String name = field.getFieldName();
        Object member = value.getClass().getMethod("get" + Character.toUpperCase(name.charAt(0)) + name.substring(1)).invoke(value);
        if (member != null) members.put(name, shown(member));
      }
      return value.getClass().getSimpleName() + members;
    } catch (NoSuchMethodException enumeration) {
      return value.toString();
    }
  }

  static Element firstElement(Element parent) {
    for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) if (child instanceof Element) return (Element) child;
    throw new IllegalArgumentException(parent.getLocalName() + " is empty");
  }

  static String firstText(Element parent, String name) {
    return parent.getElementsByTagNameNS("*", name).item(0).getTextContent();
  }
}
