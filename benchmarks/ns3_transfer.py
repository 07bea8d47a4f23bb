"""TCP transfers in ns-3, the peer of `tcp_transfers`: CUBIC, one bottleneck, a queue of one bandwidth-delay product.

Run by a Python that has the package `ns3`. Each line of stdin is one transfer: rate [bit/s], round-trip time [s],
duration [s], loss [fraction]; each is answered with its payload per second [bit/s].
"""

import sys

from ns import ns

MSS, WIRE = 8948, 9038

ns.Config.SetDefault("ns3::TcpSocket::SegmentSize", ns.UintegerValue(MSS))
ns.Config.SetDefault("ns3::TcpSocket::InitialCwnd", ns.UintegerValue(10))
ns.Config.SetDefault("ns3::TcpSocket::SndBufSize", ns.UintegerValue(1 << 30))
ns.Config.SetDefault("ns3::TcpSocket::RcvBufSize", ns.UintegerValue(1 << 30))
ns.Config.SetDefault("ns3::TcpL4Protocol::SocketType", ns.StringValue("ns3::TcpCubic"))


def throughput_bps(rate: float, rtt: float, duration: float, loss: float) -> float:
    """Simulate one transfer, packet by packet."""
    nodes = ns.NodeContainer()
    nodes.Create(2)
    link = ns.PointToPointHelper()
    link.SetDeviceAttribute("DataRate", ns.StringValue(f"{rate:.0f}bps"))
    link.SetDeviceAttribute("Mtu", ns.UintegerValue(9000))
    link.SetChannelAttribute("Delay", ns.StringValue(f"{rtt / 2 * 1e9:.0f}ns"))
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns.StringValue(f"{rate * rtt / 8 / WIRE:.0f}p"))
    devices = link.Install(nodes)
    if loss > 0:
        errors = ns.CreateObject[ns.RateErrorModel]()
        errors.SetAttribute("ErrorRate", ns.DoubleValue(loss))
        errors.SetAttribute("ErrorUnit", ns.StringValue("ERROR_UNIT_PACKET"))
        devices.Get(1).SetAttribute("ReceiveErrorModel", ns.PointerValue(errors))
    ns.InternetStackHelper().Install(nodes)
    addresses = ns.Ipv4AddressHelper()
    addresses.SetBase(ns.Ipv4Address("10.1.1.0"), ns.Ipv4Mask("255.255.255.0"))
    interfaces = addresses.Assign(devices)
    to = ns.InetSocketAddress(interfaces.GetAddress(1), 5001).ConvertTo()
    source = ns.BulkSendHelper("ns3::TcpSocketFactory", to)
    source.SetAttribute("MaxBytes", ns.UintegerValue(0))
    source.SetAttribute("SendSize", ns.UintegerValue(MSS))
    source.Install(nodes.Get(0))
    anywhere = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), 5001).ConvertTo()
    sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", anywhere).Install(nodes.Get(1)).Get(0)
    ns.Simulator.Stop(ns.Seconds(duration))
    ns.Simulator.Run()
    received = sink.GetObject[ns.PacketSink]().GetTotalRx()
    ns.Simulator.Destroy()
    return float(received * 8 / duration)


print("ready", flush=True)
for line in sys.stdin:
    print(throughput_bps(*(float(word) for word in line.split())), flush=True)
